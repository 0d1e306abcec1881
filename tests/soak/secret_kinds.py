"""Documents with secrets of 200 kinds in four formats: made by what issuers publish, not by the rules that are tried.

A kind is a name that people give the value, and a template of the value: ``{W36}`` are 36 letters and figures drawn by
lot. ``W`` letters and figures, ``L`` these with ``_`` and ``-``, ``B`` base64, ``H`` and ``F`` hexadecimal figures,
``U`` capitals and figures, ``l`` small letters and figures, ``A`` letters, ``d`` figures, ``P`` what passwords are made
of; ``{id}`` a UUID. What was drawn must not leave; the rest is known to everybody.
"""

from __future__ import annotations

import base64
import json
import random
import re
import string
from collections.abc import Callable
from dataclasses import dataclass

Maker = Callable[[random.Random], tuple[str, tuple[str, ...]]]
"""Makes a value, and says what of it was drawn."""
ALPHABETS = {
    "W": string.ascii_letters + string.digits,
    "L": string.ascii_letters + string.digits + "_-",
    "B": string.ascii_letters + string.digits + "+/",
    "H": "0123456789abcdef",
    "F": "0123456789ABCDEF",
    "U": string.ascii_uppercase + string.digits,
    "l": string.ascii_lowercase + string.digits,
    "A": string.ascii_letters,
    "d": string.digits,
    "P": string.ascii_letters + string.digits + "!@#%^*_+-=?.~",
}
SHORT = """
aws access key id|AWS_ACCESS_KEY_ID|AKIA{U16}
aws temporary key id|AWS_ACCESS_KEY_ID|ASIA{U16}
aws secret access key|AWS_SECRET_ACCESS_KEY|{B40}
amazon mws token|MWS_AUTH_TOKEN|amzn.mws.{id}
amazon bedrock key|AWS_BEARER_TOKEN_BEDROCK|ABSKQmVkcm9ja0FQSUtleS{B110}
google api key|GOOGLE_API_KEY|AIzaSy{L33}
google oauth secret|GOOGLE_CLIENT_SECRET|GOCSPX-{L28}
google access token|GOOGLE_ACCESS_TOKEN|ya29.a0{L150}
google refresh token|GOOGLE_REFRESH_TOKEN|1//0g{L90}
azure storage key|AZURE_STORAGE_KEY|{B86}==
azure client secret|AZURE_CLIENT_SECRET|{W3}8Q~{W34}
azure devops token|AZURE_DEVOPS_TOKEN|{l52}
azure cosmos key|COSMOS_KEY|{B86}==
azure subscription key|OCP_APIM_SUBSCRIPTION_KEY|{H32}
digitalocean token|DIGITALOCEAN_TOKEN|dop_v1_{H64}
digitalocean oauth token|DO_OAUTH_TOKEN|doo_v1_{H64}
alibaba access key id|ALIBABA_ACCESS_KEY_ID|LTAI{W20}
alibaba secret key|ALIBABA_SECRET_KEY|{l30}
tencent secret id|TENCENT_SECRET_ID|AKID{W32}
yandex api key|YANDEX_API_KEY|AQVN{L36}
ibm cloud api key|IBM_CLOUD_API_KEY|{L44}
linode token|LINODE_TOKEN|{H64}
vultr api key|VULTR_API_KEY|{U36}
hetzner api token|HCLOUD_TOKEN|{W64}
scaleway secret key|SCW_SECRET_KEY|{id}
fly token|FLY_API_TOKEN|fo1_{L43}
render api key|RENDER_API_KEY|rnd_{W32}
heroku api key|HEROKU_API_KEY|{id}
heroku new api key|HEROKU_API_KEY|HRKU-AA{L58}
netlify token|NETLIFY_AUTH_TOKEN|nfp_{W36}
vercel token|VERCEL_TOKEN|{W24}
cloudflare api key|CLOUDFLARE_API_KEY|{H37}
cloudflare api token|CLOUDFLARE_API_TOKEN|{L40}
cloudflare origin key|CLOUDFLARE_ORIGIN_CA_KEY|v1.0-{H24}-{H146}
supabase token|SUPABASE_ACCESS_TOKEN|sbp_{H40}
planetscale password|PLANETSCALE_PASSWORD|pscale_pw_{L43}
planetscale token|PLANETSCALE_TOKEN|pscale_tkn_{L43}
neon api key|NEON_API_KEY|napi_{l64}
databricks token|DATABRICKS_TOKEN|dapi{H32}
snowflake password|SNOWFLAKE_PASSWORD|{P20}
confluent api secret|CONFLUENT_API_SECRET|{B64}
prefect api key|PREFECT_API_KEY|pnu_{l36}
pulumi token|PULUMI_ACCESS_TOKEN|pul-{H40}
terraform cloud token|TFE_TOKEN|{W14}.atlasv1.{L67}
vault token|VAULT_TOKEN|hvs.{L95}
vault batch token|VAULT_TOKEN|hvb.{L140}
doppler token|DOPPLER_TOKEN|dp.pt.{W43}
age key|SOPS_AGE_KEY|AGE-SECRET-KEY-1{U58}
openshift token|OPENSHIFT_TOKEN|sha256~{L43}
tailscale key|TAILSCALE_AUTH_KEY|tskey-auth-{W16}-{W32}
wireguard private key|WG_PRIVATE_KEY|{B43}=
rancher token|RANCHER_TOKEN|token-{l5}:{l54}
consul token|CONSUL_HTTP_TOKEN|{id}
nomad token|NOMAD_TOKEN|{id}
github token|GITHUB_TOKEN|ghp_{W36}
github oauth token|GH_OAUTH_TOKEN|gho_{W36}
github server token|GITHUB_TOKEN|ghs_{W36}
github fine-grained token|GITHUB_PAT|github_pat_{W22}_{W59}
gitlab token|GITLAB_TOKEN|glpat-{L20}
gitlab runner token|RUNNER_TOKEN|glrt-{L20}
gitlab pipeline token|CI_TRIGGER_TOKEN|glptt-{H40}
gitlab deploy token|CI_DEPLOY_PASSWORD|gldt-{L20}
bitbucket app password|BITBUCKET_APP_PASSWORD|ATBB{W32}
atlassian api token|JIRA_API_TOKEN|ATATT3xFfGF0{L180}={F8}
trello token|TRELLO_TOKEN|ATTA{H64}
circleci token|CIRCLE_TOKEN|CCIPAT_{W22}_{H40}
buildkite token|BUILDKITE_TOKEN|bkua_{H40}
travis token|TRAVIS_TOKEN|{L22}
drone token|DRONE_TOKEN|{W32}
jenkins api token|JENKINS_TOKEN|11{H32}
sonarqube token|SONAR_TOKEN|sqp_{H40}
snyk token|SNYK_TOKEN|{id}
codecov token|CODECOV_TOKEN|{id}
gitea token|GITEA_TOKEN|{H40}
docker hub token|DOCKERHUB_TOKEN|dckr_pat_{L27}
artifactory api key|ARTIFACTORY_API_KEY|AKCp{W69}
nuget api key|NUGET_API_KEY|oy2{l43}
npm token|NPM_TOKEN|npm_{W36}
pypi token|TWINE_PASSWORD|pypi-AgEIcHlwaS5vcmc{L150}
rubygems key|GEM_HOST_API_KEY|rubygems_{H48}
crates token|CARGO_REGISTRY_TOKEN|cio{W32}
clojars token|CLOJARS_TOKEN|CLOJARS_{l60}
packagist token|PACKAGIST_TOKEN|packagist_ack_{H76}
readme key|README_API_KEY|rdme_{l70}
postman key|POSTMAN_API_KEY|PMAK-{H24}-{H34}
sourcegraph token|SRC_ACCESS_TOKEN|sgp_{H40}
octopus api key|OCTOPUS_API_KEY|API-{U26}
harness token|HARNESS_TOKEN|pat.{L22}.{H24}.{W20}
slack bot token|SLACK_BOT_TOKEN|xoxb-{d12}-{d12}-{W24}
slack user token|SLACK_USER_TOKEN|xoxp-{d12}-{d12}-{d12}-{H32}
slack app token|SLACK_APP_TOKEN|xapp-1-{U11}-{d13}-{H64}
slack webhook|SLACK_WEBHOOK_URL|https://hooks.slack.com/services/{U9}/{U11}/{W24}
discord bot token|DISCORD_TOKEN|M{W25}.{W6}.{L38}
discord webhook|DISCORD_WEBHOOK|https://discord.com/api/webhooks/123456789012345678/{L68}
teams webhook|TEAMS_WEBHOOK|https://acme.webhook.office.com/webhookb2/{id}@{id}/IncomingWebhook/{H32}/{id}
telegram bot token|TELEGRAM_BOT_TOKEN|{d10}:AA{L33}
mattermost token|MATTERMOST_TOKEN|{l26}
twilio api key|TWILIO_API_KEY|SK{H32}
twilio auth token|TWILIO_AUTH_TOKEN|{H32}
sendgrid key|SENDGRID_API_KEY|SG.{L22}.{L43}
mailgun key|MAILGUN_API_KEY|key-{H32}
mailgun signing key|MAILGUN_SIGNING_KEY|{H32}-{H8}-{H8}
mailchimp key|MAILCHIMP_API_KEY|{H32}-us21
brevo key|BREVO_API_KEY|xkeysib-{H64}-{W16}
postmark token|POSTMARK_SERVER_TOKEN|{id}
resend key|RESEND_API_KEY|re_{W8}_{W24}
mailjet secret|MAILJET_SECRET_KEY|{H32}
messagebird key|MESSAGEBIRD_API_KEY|{W25}
vonage secret|VONAGE_API_SECRET|{W16}
plivo token|PLIVO_AUTH_TOKEN|{W40}
lark webhook|LARK_WEBHOOK|https://open.feishu.cn/open-apis/bot/v2/hook/{id}
wecom webhook|WECOM_WEBHOOK|https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key={id}
dingtalk webhook|DINGTALK_WEBHOOK|https://oapi.dingtalk.com/robot/send?access_token={H64}
anthropic key|ANTHROPIC_API_KEY|sk-ant-api03-{L93}AA
openai key|OPENAI_API_KEY|sk-{W48}
openai project key|OPENAI_API_KEY|sk-proj-{L120}
openrouter key|OPENROUTER_API_KEY|sk-or-v1-{H64}
hugging face token|HF_TOKEN|hf_{A34}
replicate token|REPLICATE_API_TOKEN|r8_{W37}
perplexity key|PERPLEXITY_API_KEY|pplx-{W48}
groq key|GROQ_API_KEY|gsk_{W52}
xai key|XAI_API_KEY|xai-{W80}
nvidia key|NVIDIA_API_KEY|nvapi-{L64}
cohere key|COHERE_API_KEY|{W40}
mistral key|MISTRAL_API_KEY|{W32}
langsmith key|LANGSMITH_API_KEY|lsv2_pt_{H32}_{H10}
pinecone key|PINECONE_API_KEY|pcsk_{W6}_{W63}
weights and biases key|WANDB_API_KEY|{H40}
elevenlabs key|ELEVENLABS_API_KEY|sk_{H48}
assemblyai key|ASSEMBLYAI_API_KEY|{H32}
deepgram key|DEEPGRAM_API_KEY|{H40}
jina key|JINA_API_KEY|jina_{W60}
tavily key|TAVILY_API_KEY|tvly-{W32}
stripe live key|STRIPE_SECRET_KEY|sk_live_{W99}
stripe restricted key|STRIPE_KEY|rk_live_{W24}
stripe webhook secret|STRIPE_WEBHOOK_SECRET|whsec_{W32}
square token|SQUARE_ACCESS_TOKEN|EAAA{L60}
square secret|SQUARE_SECRET|sq0csp-{L43}
paypal token|PAYPAL_TOKEN|access_token$production${l16}${H32}
paypal client secret|PAYPAL_CLIENT_SECRET|{L80}
braintree key|BRAINTREE_PRIVATE_KEY|{H32}
plaid token|PLAID_ACCESS_TOKEN|access-production-{id}
plaid secret|PLAID_SECRET|{H30}
razorpay secret|RAZORPAY_KEY_SECRET|{W24}
shopify token|SHOPIFY_TOKEN|shpat_{H32}
shopify shared secret|SHOPIFY_SECRET|shpss_{H32}
flutterwave key|FLW_SECRET_KEY|FLWSECK-{H32}-X
coinbase secret|COINBASE_API_SECRET|{W32}
binance secret|BINANCE_SECRET_KEY|{W64}
kraken secret|KRAKEN_PRIVATE_KEY|{B86}==
duffel token|DUFFEL_TOKEN|duffel_live_{L43}
easypost key|EASYPOST_API_KEY|EZAK{l54}
shippo token|SHIPPO_TOKEN|shippo_live_{H40}
mollie key|MOLLIE_API_KEY|live_{W30}
new relic key|NEW_RELIC_API_KEY|NRAK-{U27}
new relic license|NEW_RELIC_LICENSE_KEY|{H36}NRAL
datadog api key|DD_API_KEY|{H32}
datadog app key|DATADOG_APP_KEY|{H40}
sentry token|SENTRY_AUTH_TOKEN|sntryu_{H64}
grafana service token|GRAFANA_TOKEN|glsa_{W32}_{H8}
grafana cloud token|GRAFANA_CLOUD_TOKEN|glc_{B120}
dynatrace token|DT_API_TOKEN|dt0c01.{U24}.{U64}
honeycomb key|HONEYCOMB_API_KEY|{W22}
posthog key|POSTHOG_KEY|phx_{W43}
launchdarkly key|LAUNCHDARKLY_SDK_KEY|sdk-{id}
rollbar token|ROLLBAR_ACCESS_TOKEN|{H32}
bugsnag key|BUGSNAG_API_KEY|{H32}
pagerduty token|PAGERDUTY_TOKEN|{L20}
opsgenie key|OPSGENIE_API_KEY|{id}
splunk hec token|SPLUNK_HEC_TOKEN|{id}
sumo logic key|SUMOLOGIC_ACCESS_KEY|{W64}
elastic password|ELASTIC_PASSWORD|{P24}
algolia admin key|ALGOLIA_ADMIN_KEY|{H32}
airtable token|AIRTABLE_TOKEN|pat{W14}.{H64}
asana token|ASANA_TOKEN|1/{d16}:{H32}
notion token|NOTION_TOKEN|ntn_{W46}
linear key|LINEAR_API_KEY|lin_api_{W40}
figma token|FIGMA_TOKEN|figd_{L40}
typeform token|TYPEFORM_TOKEN|tfp_{L44}_{L14}
contentful token|CONTENTFUL_TOKEN|CFPAT-{L43}
hubspot token|HUBSPOT_TOKEN|pat-na1-{id}
zendesk token|ZENDESK_TOKEN|{W40}
dropbox token|DROPBOX_TOKEN|sl.{L140}
okta token|OKTA_API_TOKEN|00{L40}
auth0 secret|AUTH0_CLIENT_SECRET|{L64}
mapbox token|MAPBOX_TOKEN|sk.eyJ1{W80}.{L22}
twitter bearer token|TWITTER_BEARER_TOKEN|AAAAAAAAAAAAAAAAAAAAA{W80}
facebook token|FACEBOOK_TOKEN|EAACEdEose0cBA{W120}
spotify secret|SPOTIFY_CLIENT_SECRET|{H32}
twitch secret|TWITCH_CLIENT_SECRET|{l30}
maxmind key|MAXMIND_LICENSE_KEY|{W6}_{W29}_mmk
adafruit key|ADAFRUIT_IO_KEY|aio_{W28}
database url|DATABASE_URL|postgres://app:{W24}@db.internal:5432/app
redis url|REDIS_URL|redis://:{W32}@cache.internal:6379/0
broker url|AMQP_URL|amqps://svc:{L28}@mq.internal/prod
database password|DB_PASSWORD|{P16}
root password|ROOT_PASSWORD|{P12}
smtp password|SMTP_PASSWORD|{P18}
session secret|SESSION_SECRET|{H64}
django secret key|DJANGO_SECRET_KEY|{L50}
jwt signing secret|JWT_SECRET|{B44}
encryption key|ENCRYPTION_KEY|{B43}=
basic authorization|AUTHORIZATION|Basic {B40}
bearer authorization|AUTHORIZATION|Bearer {L43}
"""
_HOLE = re.compile(r"\{(id|[WLBHFUlAdP]\d+)\}")


@dataclass(frozen=True)
class Secret:
    """A value as it is used, and what of it was drawn by lot; a ``long`` one has lines or is longer than a region."""

    kind: str
    name: str
    value: str
    drawn: tuple[str, ...]
    long: bool = False


def drawn(rng: random.Random, alphabet: str, size: int) -> str:
    """Characters by lot; of each sort that there is at least one, and no end that would be cut off from a sentence."""
    letters = ALPHABETS[alphabet]
    sorts = [s for s in (string.ascii_lowercase, string.ascii_uppercase, string.digits) if set(s) & set(letters)]
    while True:
        value = "".join(rng.choice(letters) for _ in range(size))
        if (size < 8 or all(set(value) & set(sort) for sort in sorts)) and value[0].isalnum() and value[-1].isalnum():
            return value


def _uuid(rng: random.Random) -> str:
    value = drawn(rng, "H", 32)
    return "-".join((value[:8], value[8:12], value[12:16], value[16:20], value[20:]))


def _filled(rng: random.Random, template: str) -> tuple[str, tuple[str, ...]]:
    parts: list[str] = []

    def fill(hole: re.Match[str]) -> str:
        said = hole[1]
        parts.append(_uuid(rng) if said == "id" else drawn(rng, said[0], int(said[1:])))
        return parts[-1]

    return _HOLE.sub(fill, template), tuple(parts)


def _lines(rng: random.Random, count: int, width: int = 64) -> list[str]:
    return [drawn(rng, "B", width) for _ in range(count)] + [drawn(rng, "B", rng.randint(9, width - 2)) + "=="]


def _pem(kind: str, head: str = "") -> Maker:
    def make(rng: random.Random) -> tuple[str, tuple[str, ...]]:
        lines = _lines(rng, rng.randint(12, 48), 70 if "OPENSSH" in kind else 64)
        block = " BLOCK" if "PGP" in kind else ""
        text = f"-----BEGIN {kind}PRIVATE KEY{block}-----\n{head}" + "\n".join(lines)
        return f"{text}\n-----END {kind}PRIVATE KEY{block}-----", tuple(lines)

    return make


def _encoded(data: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(data).encode()).decode().rstrip("=")


def _jwt(size: int, *, five: bool = False) -> Maker:
    def make(rng: random.Random) -> tuple[str, tuple[str, ...]]:
        head = _encoded({"alg": "RS256", "typ": "JWT", "kid": drawn(rng, "W", 12)})
        parts = [_encoded({"sub": drawn(rng, "W", 16), "scopes": drawn(rng, "W", size)}), drawn(rng, "L", 342)]
        if five:
            head = _encoded({"alg": "RSA-OAEP", "enc": "A256GCM"})
            parts = [drawn(rng, "L", 342), drawn(rng, "L", 16), drawn(rng, "L", size), drawn(rng, "L", 22)]
        return ".".join([head, *parts]), tuple(parts)

    return make


def _service_account(rng: random.Random) -> tuple[str, tuple[str, ...]]:
    key, lines = _pem("")(rng)
    about = {"type": "service_account", "project_id": "acme", "private_key_id": drawn(rng, "H", 40)}
    return json.dumps({**about, "private_key": key + "\n", "client_email": "x@acme.example"}, indent=2), lines


def _in_base64(
    make: Maker,
) -> Maker:
    def encoded(rng: random.Random) -> tuple[str, tuple[str, ...]]:
        value = base64.b64encode(make(rng)[0].encode()).decode()
        return value, (value[60:],)

    return encoded


def _plain(template: str) -> Maker:
    return lambda rng: _filled(rng, template)


def _putty(rng: random.Random) -> tuple[str, tuple[str, ...]]:
    public, private = _lines(rng, 5), _lines(rng, 13)
    head = "PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: work\nPublic-Lines: 6\n" + "\n".join(public)
    return f"{head}\nPrivate-Lines: 14\n" + "\n".join(private) + f"\nPrivate-MAC: {drawn(rng, 'H', 64)}", tuple(private)


def _jwk(rng: random.Random) -> tuple[str, tuple[str, ...]]:
    value = drawn(rng, "L", 342)
    return json.dumps({"kty": "RSA", "e": "AQAB", "n": drawn(rng, "L", 342), "d": value}), (value,)


LONG: tuple[tuple[str, str, Maker], ...] = (
    ("rsa key", "TLS_PRIVATE_KEY", _pem("RSA ")),
    ("pkcs8 key", "SIGNING_PRIVATE_KEY", _pem("")),
    ("encrypted pkcs8 key", "SIGNING_PRIVATE_KEY", _pem("ENCRYPTED ")),
    ("ec key", "EC_PRIVATE_KEY", _pem("EC ")),
    ("dsa key", "DSA_PRIVATE_KEY", _pem("DSA ")),
    ("encrypted rsa key", "RSA_PRIVATE_KEY", _pem("RSA ", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123\n\n")),
    ("ssh key", "SSH_PRIVATE_KEY", _pem("OPENSSH ")),
    ("pgp key", "GPG_PRIVATE_KEY", _pem("PGP ", "Comment: work\n\n")),
    ("putty key", "PUTTY_KEY", _putty),
    ("service account", "GOOGLE_CREDENTIALS", _service_account),
    ("service account in base64", "GOOGLE_CREDENTIALS_B64", _in_base64(_service_account)),
    ("key in base64", "TLS_KEY_B64", _in_base64(_pem("RSA "))),
    ("json web token", "ID_TOKEN", _jwt(900)),
    ("long json web token", "ACCESS_TOKEN", _jwt(4000)),
    ("encrypted json web token", "ACCESS_TOKEN", _jwt(900, five=True)),
    ("json web key", "JWK", _jwk),
    ("aws session token", "AWS_SESSION_TOKEN", _plain("IQoJb3JpZ2luX2Vj{B620}")),
    ("one password token", "OP_SERVICE_ACCOUNT_TOKEN", _plain("ops_eyJ{B700}")),
)


def kinds() -> list[tuple[str, str, Maker, bool]]:
    """All kinds: what it is called, the name of a variable, how one is made, whether it is long."""
    rows = [line.split("|") for line in SHORT.strip().splitlines()]
    short = [(kind, name, _plain(template), False) for kind, name, template in rows]
    return [*short, *((kind, name, make, True) for kind, name, make in LONG)]


def made(seed: int) -> list[Secret]:
    """One secret of each kind."""
    rng = random.Random(seed)
    return [Secret(kind, name, *make(rng), long=long) for kind, name, make, long in kinds()]


_FILLER = "The {kind} was renewed on 4 May 2031 and is looked after by the group that keeps the lights on."


def in_prose(secret: Secret, rng: random.Random) -> tuple[str, str]:
    """Notes in Markdown; the name of the file and its text."""
    kind, value = secret.kind, secret.value
    before, after = _FILLER.format(kind=kind), "Whoever needs another one asks the owner of the service first."
    if "\n" in value:
        said = f"The {kind}:\n\n```\n{value}\n```"
    else:
        said = rng.choice(
            (
                f"The {kind} is {value}.",
                f"The {kind} is `{value}`, says the list.",
                f"- **{kind}**: `{value}`",
                f"{kind}: {value}",
                f"```sh\nexport {secret.name}={value}\n```" if "$" not in value else f"{kind}: {value}",
                f'```sh\nexport {secret.name}="{value}"\n```',
            )
        )
    return ".md", f"# Keys\n\n{before}\n\n{said}\n\n{after}\n"


def in_json(secret: Secret, rng: random.Random) -> tuple[str, str]:
    """A file of settings in JSON."""
    word = secret.name.lower()
    name = rng.choice((word, "".join(part.title() if n else part for n, part in enumerate(word.split("_")))))
    inner = {"region": "north", name: secret.value, "retries": 3, "note": _FILLER.format(kind=secret.kind)}
    return ".json", json.dumps({"service": inner}, indent=rng.choice((2, 4, None)))


def in_settings(secret: Secret, rng: random.Random) -> tuple[str, str]:
    """A file of settings in YAML, INI or as an environment."""
    name, value = secret.name, secret.value
    about = f"# {_FILLER.format(kind=secret.kind)}\nregion{{}}north\n"
    sort = rng.choice((".yaml", ".ini", ".txt", ".toml"))
    if sort == ".yaml":
        if "\n" in value:
            lines = "\n".join(f"    {line}" for line in value.split("\n"))
            return sort, f"{about.format(': ')}service:\n  {name.lower()}: |\n{lines}\n  retries: 3\n"
        quote = rng.choice(("", '"', "'")) if ": " not in value and value[0] not in "*&!%@#" else '"'
        return sort, f"{about.format(': ')}service:\n  {name.lower()}: {quote}{value}{quote}\n  retries: 3\n"
    if "\n" in value:
        line = value.replace("\n", "\\n").replace('"', '\\"')
        return sort, f'{about.format("=")}{name}="{line}"\nretries=3\n'
    if sort == ".toml":
        return sort, f'{about.format(" = ")}[service]\n{name.lower()} = "{value}"\nretries = 3\n'
    if sort == ".ini":
        return sort, f"{about.format(' = ')}[service]\n{name.lower()} = {value}\nretries = 3\n"
    return sort, f"{about.format('=')}{name}={value}\nretries=3\n"


def in_code(secret: Secret, rng: random.Random) -> tuple[str, str]:
    """A source file."""
    name, value = secret.name, secret.value
    camel = "".join(part.title() if n else part for n, part in enumerate(name.lower().split("_")))
    about = _FILLER.format(kind=secret.kind)
    if "\n" in value:
        if rng.random() < 0.5 and '"' not in value:
            lines = "\n".join(f'    "{line}\\n"' for line in value.split("\n"))
            return ".py", f"# {about}\n{name} = (\n{lines}\n)\n\n\ndef region():\n    return 'north'\n"
        return ".py", f'# {about}\n{name} = """{value}"""\n\n\ndef region():\n    return "north"\n'
    return rng.choice(
        (
            (".py", f'# {about}\n{name} = "{value}"\n\n\ndef region():\n    return "north"\n'),
            (".py", f"# {about}\nclient = Client(region='north', {name.lower()}='{value}')\n"),
            (".js", f"// {about}\nconst {camel} = '{value}';\nexport const region = 'north';\n"),
            (".ts", f'// {about}\nexport const options = {{ {camel}: "{value}", region: "north" }};\n'),
            (".go", f'// {about}\nconst {camel} = "{value}"\n\nfunc region() string {{ return "north" }}\n'),
            (".java", f'// {about}\nprivate static final String {name} = "{value}";\n'),
            (".rb", f"# {about}\nENV['{name}'] = '{value}'\n"),
        )
    )


FORMATS = {"prose": in_prose, "json": in_json, "settings": in_settings, "code": in_code}


def escaped(part: str) -> str:
    """A drawn part as JSON writes it."""
    return json.dumps(part)[1:-1]
