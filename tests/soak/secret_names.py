"""Names of files that hold secrets are refused, and names that only look like them are read.

``python -m tests.soak.secret_names --spellings 4`` writes a file of each name in so many spellings (as it is, and with
letters of either case by lot), looks for all of them as a search does, names each by
itself, holds each open in an editor, and reads each as a request of an agent does. It prints one JSON line, and exits
with 1 if a secret one was read in any way or an ordinary one was not; and if the control, a list of the best-known
twenty patterns, did not let most of the secret ones through.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Callable, Sequence
from fnmatch import fnmatch
from pathlib import Path

from lens_lsp.corpus.corpus_rules import CorpusRules, left_out
from lens_lsp.corpus.intake import Buffer
from lens_lsp.corpus.safe_open import Root, Skipped
from lens_lsp.corpus.walk import discover
from lens_lsp.corpus.workspace import Snapshot
from tests.soak.harness import Options, Verdict, harness

SECRET = """
.env .env.local .env.development .env.production .env.test .env.staging .env.example.local .ENV .env.bak .env~
prod.env dev.env app.env docker.env staging.env Production.env api.env.local web.env.production db.env.staging .envrc
.flaskenv .dev.vars .dev.vars.production env.local env.production prod.env.bak local.settings.json .env.swp id_rsa
id_rsa.pub id_dsa id_ecdsa id_ed25519 id_ed25519_work id_ecdsa_sk id_ed25519_sk id_rsa.old id_xmss server.pem
server.key tls.key client.p12 client.pfx store.jks store.keystore app.bks AuthKey_ABC123.p8 putty.ppk release.keystore
debug.keystore cert.pkcs12 krb5.keytab http.keytab app.snk backup.agekey vpn.ovpn office.nmconnection ssh_host_rsa_key
ssh_host_ed25519_key ssh_host_ecdsa_key private_key privatekey wg0.conf secring.gpg krb5cc_1000 .ssh/config
.ssh/known_hosts .ssh/work .gnupg/trustdb .gnupg/private-keys-v1.d/a age/keys.txt .Xauthority .erlang.cookie
.google_authenticator master.key credentials.yml.enc server.key.bak jwt.key .netrc _netrc .netrc.bak .pgpass
pgpass.conf .my.cnf .mylogin.cnf .npmrc .yarnrc .pypirc .htpasswd .htdigest htpasswd .git-credentials .gitcookies
.authinfo .authinfo.gpg .vault-token .vault_token .vault_pass .vault_pass.txt .vault-pass vault_pass.txt
vault-password.txt .token .access_token .api_key .apikey .secret .secrets .secrets.toml .credentials api_key.txt
apikey.txt token.txt token.json token.pickle kaggle.json credentials credentials.json credentials.yml credentials.csv
credentials.xml credentials.db credentials.ini credentials.toml application_default_credentials.json access_tokens.db
secrets.json secrets.yml secrets.yaml secrets.toml secrets.ini secrets.properties secret.yaml secret.yml secret.json
secrets.txt secret.txt passwords.txt password.txt passwords.csv passwords.json passwords.xlsx client_secret.json
client_secret_123.apps.googleusercontent.com.json service-account.json service-account-prod.json service_account.json
serviceaccount-key.json gcp-key.json bitwarden_export_2031.json lastpass_export.csv 1password-export.csv user.creds
nats.credentials db.secret app.secrets aws.secret github-recovery-codes.txt recovery-codes.txt backup-codes.txt
vault.kdbx old.kdb vault.opvault logins.agilekeychain data.1pif safe.psafe3 vault.enpassdb login.keychain
login.keychain-db login.keyring kdewallet.kwl my.wallet wallet.dat default_wallet UTC--2031-01-01T00-00-00Z--abc
kubeconfig kubeconfig.yaml kubeconfig.yml prod.kubeconfig .kube/config talosconfig .talos/config k3s.yaml
.docker/config.json .Docker/config.json .docker/config.json.bak .dockercfg .dockerconfigjson containers/auth.json
.composer/auth.json composer/auth.json .codex/auth.json .aws/credentials .aws/config .azure/accessTokens.json
.gcloud/credentials.db .config/gcloud/legacy .config/op/config .config/gh/hosts.yml .config/hub
.config/sops/age/keys.txt .config/glab-cli/config.yml .config/doctl/config.yaml doctl/config.yaml .oci/config
.bluemix/config.json .terraform.d/credentials.tfrc.json credentials.tfrc.json .terraformrc terraform.rc
.aliyun/config.json .netlify/config.json .fly/config.yml .vercel/auth.json com.vercel.cli/auth.json .circleci/cli.yml
.travis/config.yml .railway/config.json .supabase/access-token .huggingface/token huggingface/token .bundle/config
.cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings.xml settings-security.xml .s3cfg .boto
.passwd-s3fs rclone.conf .config/rclone/rclone.conf .rclone.conf .databrickscfg .dbt/profiles.yml .snowsql/config
.sentryclirc ngrok.yml .fetchmailrc .msmtprc .mbsyncrc .offlineimaprc .getmailrc .curlrc .smbcredentials
sitemanager.xml recentservers.xml filezilla.xml winscp.ini sftp-config.json .vscode/sftp.json .ftpconfig .ftppass
webservers.xml wpa_supplicant.conf wp-config.php key.properties keystore.properties hudson.util.secret office.remmina
web.publishsettings .password-store/a .wakatime.cfg weechat/sec.conf etc/shadow etc/gshadow kubernetes/admin.conf
terraform.tfstate terraform.tfstate.backup prod.tfstate terraform.tfvars prod.auto.tfvars secrets.tfvars.json
.bash_history .zsh_history .zhistory .sh_history .ksh_history .history .fish_history fish_history .ash_history
.python_history .node_repl_history .psql_history .mysql_history .sqlite_history .rediscli_history .irb_history
.irb-history .pry_history .ghci_history .scala_history .octave_hist .Rhistory .julia_history .php_history .lua_history
.xonsh_history .gdb_history .hivehistory .influx_history .usql_history .mongosh_repl_history mongosh_repl_history
.dbshell .lesshst .viminfo _viminfo main.shada .histfile ConsoleHost_history.txt nushell/history.txt pgcli/history
.cassandra/cqlsh_history profile_default/history.sqlite .bash_history.old cookies.sqlite cookies.txt logins.json
key3.db key4.db signons.sqlite formhistory.sqlite places.sqlite sessionstore.jsonlz4 Default/Cookies Default/History
.mozilla/firefox/a/prefs.js .thunderbird/a/prefs.js .config/google-chrome/Default/Preferences .config/chromium/a
.config/BraveSoftware/a share/keyrings/a.txt Library/Keychains/a .electrum/config .bitcoin/bitcoin.conf .ethereum/a
.git/config .hg/hgrc .svn/entries
"""
ORDINARY = """
environment.md environments.md env.md env.py environ.py env.go dotenv.md dotenv-guide.md envoy.yaml envelope.md
about-env-files.md development.md production.md staging.md config.env.md environment.yml environment.ts env.d.ts
history.md history.txt history.py History.tsx HISTORY.md bash-history.md bash_history.md shell_history.md changelog.md
git-history.md history/rome.md world-history.txt repl.md repl.py python_history.md prehistory.md histogram.py
docker.md docker-config.md docker/config.md docker/config.json config/config.json config.json src/config.json
docker-compose.yml Dockerfile.md .docker/README.md .docker/Dockerfile.txt docs/docker/config.json.md compose.yaml
kubernetes.md kubeconfig.md kubeconfig-guide.md kube/config.md kubectl.md k8s.yaml deployment.yaml service.yaml
credentials.md credentials-guide.md credential.py credentials.py credentials.go credentials.tsx about_credentials.txt
secrets.md secrets.py secret.py secret-garden.md secrets-management.md secretary.md secret_santa.txt secrets.rs
secret.go passwords.md password.md password.py password-policy.md password_reset.html passwords.go PasswordField.tsx
passenger.md token.md tokens.md tokens.json token.py tokenizer.py tokenizer.json tokens.css design-tokens.json
token.go tokenize.rs keys.md key.md keyboard.md keynote.md keyring.md keystore.md keychain.md hotkeys.json keymap.json
keyframes.css api-keys.md apikey.md api_key.md api-key-rotation.md access-tokens.md private-key.md private_key.md
public_key.md ssh.md ssh-keys.md known_hosts.md ssh_config.md rsa.md ed25519.md identity.md idea.md identifiers.md
certificates.md cert.md tls.md pem.md pem-files.md pkcs12.md x509.md server.crt ca.crt certificate.cer terraform.md
terraform/main.tf variables.tf outputs.tf main.tf tfstate.md terraform-state.md state.md state.py states.json
statement.md estate.txt backup.md backup.txt backups.yaml old.md original.md copy.md netrc.md npmrc.md pypirc.md
pgpass.md my.cnf.md vault.md vault/README.md vault-token.md vault.hcl.md gitconfig.md gitignore.md .gitignore
.gitattributes .gitmodules .github/workflows/ci.yml .gitlab-ci.yml .editorconfig.ini .eslintrc.json .prettierrc.json
.babelrc.json .nvmrc.txt .yarnrc.yml .dockerignore.txt .python-version.txt .circleci/config.yml .travis.yml
.vscode/settings.json .vscode/launch.json .config/starship.toml .config/nvim/init.lua gh/README.md gh/config.yml
hosts.yml hosts.md auth.md auth.json locales/en/auth.json auth.py auth.ts auth/index.ts src/auth.json oauth.md
authentication.md authorization.md author.md authors.txt composer.json composer.md containers.md huggingface.md
huggingface/README.md huggingface/token.md rclone.md rclone/README.md aws.md aws/README.md azure.md gcloud.md gcp.md
service-account.md service-accounts.md service_account.py service.json accounts.json account.md client.json
client_secret.md clients.csv export.csv bitwarden.md lastpass.md 1password.md wallet.md wallets.md wallet.py
wallet.json bitcoin.md ethereum.md electrum.md bitcoin/README.md cookies.md cookies.py cookie-policy.md
cookies/README.md cookies.json login.md login.html logins.md login-data.md browser.md firefox.md chrome.md
chromium/README.md google-chrome.md mozilla.md bookmarks.html places.md places.json settings.xml settings.json
settings.py local.settings.md properties.md gradle.properties.md application.properties application.yml database.yml
database.md my.ini app.ini app.conf nginx.conf wg.md wireguard.md vpn.md openvpn.md wordpress.md wp-config.md php.ini
ngrok.md s3.md boto.md boto3.py snowflake.md dbt.md profiles.yml dbt/profiles.yml shadow.md shadow.css
shadow/README.md shadows.json etc/hosts.txt etc/motd.txt admin.conf admin.md kubernetes/README.md recovery.md
recovery-plan.txt codes.txt backup-plan.md journal.md diary.md notes.md meeting.txt recipe.md share/README.md
share/keys.md library/README.md library/keys.md nushell/README.md nushell/config.nu.md op.md op/config.md
"""
BEST_KNOWN = (
    *(".env", ".env.*", "*.pem", "*.key", "*.p12", "*.pfx", "id_rsa*", "id_dsa*", "id_ed25519*", "*.kdbx", ".netrc"),
    *(".npmrc", ".pypirc", ".pgpass", ".htpasswd", ".git-credentials", ".ssh", ".aws", ".gnupg", ".git"),
)


def names(text: str) -> list[str]:
    return list(dict.fromkeys(text.split()))


def written(folder: Path, paths: Sequence[str]) -> None:
    """A file of each name; names that one file system holds only once are in folders of their own."""
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("The lease ends on 30 June 2031.\n", "utf-8")


def found(root: Root, path: str) -> bool:
    return any(entry.path.endswith(path) for entry in discover(root, CorpusRules()).files)


def walked(root: Root, path: str) -> bool:
    return any(each.endswith(path) for each in discover(root, CorpusRules(), names_only=True).paths)


def named(root: Root, path: str) -> bool:
    return bool(discover(root, CorpusRules(), explicit_file=path).files)


def opened(root: Root, path: str) -> bool:
    buffer = Buffer(str(Path(root.path, path)), "The lease ends.\n")
    try:
        Snapshot([root], {(0, path): buffer}, CorpusRules()).read(0, path)
    except Skipped:
        return False
    return True


def given(root: Root, path: str) -> bool:
    return left_out(root, path, CorpusRules()) is None


WAYS: dict[str, Callable[[Root, str], bool]] = {
    "found": found,
    "walked": walked,
    "named": named,
    "opened": opened,
    "given": given,
}


def read(paths: Sequence[str]) -> dict[str, list[str]]:
    """The names that are read, each in a folder of its own, by the way."""
    told: dict[str, list[str]] = {way: [] for way in WAYS}
    with tempfile.TemporaryDirectory() as base:
        for number, path in enumerate(paths):
            folder = Path(base, str(number))
            written(folder, [path])
            with Root(str(folder)) as root:
                for way, asks in WAYS.items():
                    if asks(root, path):
                        told[way].append(path)
    return told


def best_known(path: str) -> bool:
    """Whether a short list refuses a path."""
    return any(fnmatch(part.lower(), pattern) for part in path.split("/") for pattern in BEST_KNOWN)


def spelled(paths: Sequence[str], spellings: int, rng: random.Random) -> list[str]:
    """The paths, and spellings of them in other letters of the same."""
    more = [
        "".join(rng.choice((letter.lower(), letter.upper())) for letter in path)
        for path in paths
        for _ in range(spellings - 1)
    ]
    return list(dict.fromkeys([*paths, *more]))


@harness(spellings=1, seed=1)
def main(options: Options) -> Verdict:
    rng = random.Random(options.seed)
    secret, ordinary = (spelled(names(text), options.spellings, rng) for text in (SECRET, ORDINARY))
    let_in, kept = read(secret), read(ordinary)
    refused = sorted({path for way in kept for path in set(ordinary) - set(kept[way])})
    told = sorted({path for paths in let_in.values() for path in paths})
    passed = [path for path in secret if not best_known(path)]
    return {
        "n": len(secret),
        "names": len(names(SECRET)),
        "ordinary": len(ordinary),
        "read": len(told),
        "refused": len(refused),
        "bad": len(told) + len(refused),
        "controlBad": len(passed),
        "ways": list(WAYS),
        "first": [*told, *refused][:10],
    }, len(passed) > len(secret) // 2


if __name__ == "__main__":
    sys.exit(main())
