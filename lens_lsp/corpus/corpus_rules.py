"""What may be searched: the user's choices, and the names that no choice opens.

Two lists are built in. ``DENIED`` holds what is a secret by its name or keeps one: never read, not even when
it is named on the command line or open in an editor. ``CLUTTER`` holds folders that tools fill: skipped
unless the folder itself is what the user named. Ignore files can add to both and take nothing away (design:
privacy first).
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from lens_lsp.model.errors import UsageError

DENIED: tuple[str, ...] = (
    # keys and certificates
    *("*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.pkcs12", "*.ppk", "*.jks", "*.jceks", "*.bks", "*.keystore"),
    *("*.keytab", "*.snk", "*.agekey", "*.ovpn", "*.nmconnection", "*.kubeconfig", "*.sshkey"),
    *("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "id_xmss*", "ssh_host_*_key", "krb5cc_*", "secring.*"),
    *("private_key", "privatekey", "wg0.conf", "wg1.conf", ".erlang.cookie", ".google_authenticator", ".xauthority"),
    *(".ssh/", ".gnupg/", "age/keys.txt"),
    # environments
    *(".env*", "*.env", "*.env.local", "*.env.dev", "*.env.development", "*.env.test", "*.env.staging", "*.env.prod"),
    *("*.env.production", ".flaskenv", ".dev.vars*", "env.local", "env.production", "local.settings.json"),
    # passwords and tokens
    *("*.kdb", "*.kdbx", "*.agilekeychain", "*.opvault", "*.1pif", "*.psafe3", "*.enpassdb", "*.keychain"),
    *("*.keychain-db", "*.keyring", "*.kwallet", "*.kwl", "*.wallet", "*.creds", "*.credentials", "*.secret"),
    *("*.secrets", "*.publishsettings", "*.remmina", "*.tfrc.json", "*recovery-codes.txt", "*backup-codes.txt"),
    *(".netrc", "_netrc", ".pgpass", "pgpass.conf", ".my.cnf", ".mylogin.cnf", ".npmrc", ".yarnrc", ".pypirc"),
    *(".htpasswd", ".htdigest", "htpasswd", ".git-credentials", ".gitcookies", ".authinfo", ".authinfo.gpg"),
    *(".vault-token", ".vault_token", ".vault-pass*", ".vault_pass*", "vault_pass.txt", "vault-password.txt"),
    *(".token", ".access_token", ".api_key", ".apikey", ".secret", ".secrets", ".secrets.toml", ".credentials"),
    *("api_key.txt", "apikey.txt", "token.txt", "token.json", "token.pickle", "kaggle.json", "credentials"),
    *(
        "credentials.json",
        "credentials.yml",
        "credentials.yaml",
        "credentials.toml",
        "credentials.ini",
        "credentials.xml",
    ),
    *("credentials.csv", "credentials.db", "credentials.properties", "credentials.txt", "credentials.yml.enc"),
    *("credentials-config.json", "application_default_credentials.json", "access_tokens.db"),
    *(
        "secrets.json",
        "secrets.yml",
        "secrets.yaml",
        "secrets.toml",
        "secrets.ini",
        "secrets.env",
        "secrets.properties",
    ),
    *("secret.json", "secret.yml", "secret.yaml", "secret.toml", "secret.txt", "secrets.txt", "passwords.txt"),
    *("password.txt", "passwords.csv", "passwords.json", "passwords.xlsx", "client_secret*.json"),
    *("service-account*.json", "service_account*.json", "serviceaccount*.json", "gcp-key*.json", "bitwarden_export*"),
    *("lastpass_export*", "1password*.csv", "chrome passwords.csv", "kubeconfig", "kubeconfig.yaml", "kubeconfig.yml"),
    *(
        "kubeconfig.json",
        "talosconfig",
        "k3s.yaml",
        ".dockercfg",
        ".dockerconfigjson",
        ".s3cfg",
        ".boto",
        ".passwd-s3fs",
    ),
    *(".rclone.conf", "rclone.conf", ".databrickscfg", ".terraformrc", "terraform.rc", ".sentryclirc", "ngrok.yml"),
    *(".fetchmailrc", ".msmtprc", ".mbsyncrc", ".offlineimaprc", ".getmailrc", ".esmtprc", ".curlrc"),
    *(".smbcredentials", ".cifscredentials", "sitemanager.xml", "recentservers.xml", "filezilla.xml", "winscp.ini"),
    *("sftp-config.json", ".ftpconfig", ".ftppass", ".remote-sync.json", "webservers.xml", "datasources.local.xml"),
    *("wpa_supplicant.conf", "wp-config.php", "keystore.properties", "key.properties", "signing.properties"),
    *("settings-security.xml", "hudson.util.secret", ".robomongorc.js", "snowsql.cnf", ".wakatime.cfg"),
    *(".password-store/", ".aws/", ".azure/", ".kube/", ".gcloud/", ".oci/", ".bluemix/", ".terraform.d/", ".talos/"),
    *(".docker/config.json", "containers/auth.json", ".composer/auth.json", "composer/auth.json", ".codex/auth.json"),
    *(
        "opencode/auth.json",
        ".vercel/auth.json",
        "com.vercel.cli/auth.json",
        ".netlify/config.json",
        ".m2/settings.xml",
    ),
    *(".aliyun/config.json", "doctl/config.yaml", ".fly/config.yml", "gh/hosts.yml", "glab-cli/config.yml"),
    *(".circleci/cli.yml", ".travis/config.yml", ".railway/config.json", ".supabase/access-token"),
    *("huggingface/token", ".huggingface/token", ".bundle/config", ".cargo/credentials", ".gem/credentials"),
    *(".dbt/profiles.yml", ".snowsql/config", ".ngrok2/ngrok.yml", ".vscode/sftp.json", "weechat/sec.conf"),
    *("etc/shadow", "etc/gshadow", "etc/master.passwd", "kubernetes/admin.conf", "kubernetes/super-admin.conf"),
    *("kubernetes/kubelet.conf", ".config/gcloud", ".config/op", ".config/hub", ".config/sops", ".config/doctl"),
    *("share/keyrings", "share/kwalletd", "share/gopass", "library/keychains"),
    # state of tools that holds what they were given
    *("*.tfstate", "*.tfstate.backup", "*.tfvars", "*.tfvars.json"),
    # what was typed into shells and interpreters
    *(".*history", ".*_hist", ".histfile", "fish_history", "*_repl_history", "*.shada", ".dbshell", ".lesshst"),
    *(".viminfo", "_viminfo", "consolehost_history.txt", "ghc/ghci_history", "nushell/history.txt"),
    *("nushell/history.sqlite3", "profile_default/history.sqlite", "pgcli/history", "mycli/history"),
    *("julia/repl_history.jl", "logs/repl_history.jl", ".cassandra/cqlsh_history", "lldb/lldb-widehistory"),
    # browsers and wallets
    *(
        "cookies.sqlite",
        "cookies.txt",
        "login data*",
        "web data",
        "logins.json",
        "key3.db",
        "key4.db",
        "signons.sqlite",
    ),
    *("formhistory.sqlite", "places.sqlite", "sessionstore.jsonlz4", "recovery.jsonlz4", "default/cookies"),
    *("network/cookies", "default/history", ".config/google-chrome", ".config/chromium", ".config/bravesoftware"),
    *(".config/microsoft-edge", ".config/vivaldi", ".config/opera", "wallet.dat", "default_wallet", "utc--*"),
    *(".mozilla/", ".thunderbird/", ".electrum/", ".bitcoin/", ".ethereum/"),
    # version control: configuration there holds remote URLs with tokens, and every deleted secret
    *(".git/", ".hg/", ".svn/"),
    # what people asked and were answered, when it is kept in the workspace: private, and never evidence
    ".lens/",
)
"""Secrets by name, compared without case; copies of such a file (``.bak``, ``~``) count as well. One with a slash at
its end also counts above a root. One with a slash inside is a name in a folder of a name."""

CLUTTER: tuple[str, ...] = (
    "node_modules/",
    "bower_components/",
    "__pycache__/",
    ".venv/",
    ".tox/",
    ".nox/",
    ".eggs/",
    ".cache/",
    ".mypy_cache/",
    ".pytest_cache/",
    ".ruff_cache/",
    ".hypothesis/",
    ".ipynb_checkpoints/",
    ".gradle/",
    ".terraform/",
    ".parcel-cache/",
    ".next/",
    ".nuxt/",
    ".svelte-kit/",
    ".direnv/",
    ".Trash/",
)
"""Folders that tools fill: skipped below a root, searched when they are the root."""

_FOLDERS = frozenset(name[:-1].casefold() for name in DENIED if name.endswith("/"))
_INSIDE = frozenset(name.casefold() for name in DENIED if "/" in name[:-1])
_ABOVE = frozenset(name.partition("/")[0] for name in _INSIDE)
_PLAIN = tuple(name.casefold() for name in DENIED if "/" not in name)
_NAMES = _FOLDERS | {name for name in _PLAIN if "*" not in name}
# By what is behind the last full stop, which costs one look for all of them.
_EXTENSIONS = frozenset(name[2:] for name in _PLAIN if name.startswith("*.") and "." not in name[2:])
_ENDS = tuple(name[1:] for name in _PLAIN if name.startswith("*") and name[2:] not in _EXTENSIONS)
_STARTS = tuple(name[:-1] for name in _PLAIN if name.endswith("*"))
_BOTH = tuple(name.split("*") for name in _PLAIN if "*" in name[1:-1])
_BEGINNINGS = tuple(start for start, _ in _BOTH)
_COPIES = frozenset({"bak", "old", "orig", "save", "swp", "swo", "backup", "copy"})
_LOOSE = ("~", "#", *(end for end in (*_ENDS, *(end for _, end in _BOTH)) if "." not in end))
_LAST = _EXTENSIONS | _COPIES | {name.rpartition(".")[2] for name in (*_NAMES, *_ENDS, *(end for _, end in _BOTH))}
_CLUTTER = frozenset(name[:-1] for name in CLUTTER)

# Codecs that decode to lone surrogates, or are for other things than files; by the names Python itself gives them.
_NO_FALLBACK = frozenset({"unicode-escape", "raw-unicode-escape", "utf-7", "idna", "punycode", "undefined"})


@dataclass(frozen=True, slots=True)
class ProjectRules:
    """What the people who keep a folder say of it and everything in it, by patterns from there."""

    folder: str
    """Absolute, without links."""
    exclude: tuple[str, ...] = ()
    """More that is left out; it brings nothing back."""
    scopes: tuple[str, ...] = ()
    """What is searched when the user names no scope."""

    def above(self, root_path: str) -> str | None:
        """The way from the folder down to a root in it, each part with a slash; None for a root elsewhere."""
        way = os.path.relpath(os.path.realpath(root_path), self.folder).replace(os.sep, "/")
        return "" if way == "." else None if way == ".." or way.startswith("../") or os.path.isabs(way) else way + "/"


@dataclass(frozen=True, slots=True)
class CorpusRules:
    """What the user chose. Raises ``UsageError`` for a ``fallback_encoding`` that is no text encoding."""

    respect_ignore_files: bool = True
    exclude: tuple[str, ...] = ()
    """Patterns as in an ignore file, from the root. A ``!`` undoes earlier ones of this list only."""
    scopes: tuple[str, ...] = ()
    """Patterns as in an ignore file; when there are any, a file or a folder above it must match."""
    fallback_encoding: str = "cp1252"
    """What bytes are read as that are neither Unicode nor binary."""
    projects: tuple[ProjectRules, ...] = ()
    """What the folders say themselves that hold the roots."""

    def __post_init__(self) -> None:
        name = self.fallback_encoding
        try:
            usable = codecs.lookup(name).name not in _NO_FALLBACK and isinstance(b"a".decode(name, "replace"), str)
        except (LookupError, ValueError):
            usable = False
        if not usable:
            raise UsageError(f"{name!r} is not a text encoding; cp1252, latin-1, shift_jis or gb18030 are")


def denied_name(name: str, above: str = "") -> bool:
    """Whether one component of a path is on the deny list, whatever kind of node it is; ``above`` is the one before."""
    folded = name.casefold()  # not lower(): some file systems open ".ſsh" as ".ssh"
    return _is_denied(folded) or _is_inside(folded, above.casefold())


def _is_denied(folded: str) -> bool:
    extension = folded.rpartition(".")[2]
    if extension not in _LAST and not folded.startswith(_STARTS) and not folded.endswith(_LOOSE):
        return False  # most files: this runs for every one
    if extension in _EXTENSIONS and extension != folded:
        return True
    if folded in _NAMES or folded.startswith(_STARTS) or folded.endswith(_ENDS) or _is_between(folded):
        return True
    original = _original(folded, extension)
    return original is not None and _is_denied(original)


def _is_between(folded: str) -> bool:
    return folded.startswith(_BEGINNINGS) and any(
        folded.startswith(start) and folded.endswith(end) and len(folded) >= len(start) + len(end)
        for start, end in _BOTH
    )


def _is_inside(folded: str, above: str) -> bool:
    if above not in _ABOVE:
        return False
    original = _original(folded, folded.rpartition(".")[2])
    return f"{above}/{folded}" in _INSIDE or (original is not None and f"{above}/{original}" in _INSIDE)


def _original(folded: str, extension: str) -> str | None:
    """The name of the file that one is the copy of, as editors and people name copies; None for what is none."""
    if extension in _COPIES and extension != folded:
        return folded[: -1 - len(extension)]
    if folded[-1:] == "~" or (folded[:1] == "#" and len(folded) > 1):
        return folded.strip("#~")
    return None


def some_denied(names: Iterable[str], above: str = "") -> bool:
    """Whether ``denied_name`` holds for one of many names in a folder of the name ``above``."""
    folded = "/".join(names).casefold().split("/")
    beneath = above.casefold()
    return any(map(_is_denied, folded)) or (beneath in _ABOVE and any(_is_inside(name, beneath) for name in folded))


def denied_path(rel: str, root: str = "") -> bool:
    """Whether any component of a path below a root is on the deny list. ``root`` is where the root is, if that is
    known: what a name is for may be said by the folder above it."""
    above = name_of(root)
    for name in rel.split("/"):
        if denied_name(name, above):
            return True
        above = name
    return False


def name_of(folder: str) -> str:
    """The last component of a path."""
    return folder.replace(os.sep, "/").rstrip("/").rpartition("/")[2]


def denied_root(path: str) -> bool:
    """Whether a folder lies in a denied one or is one, by the name given and by its real name.

    Above the folder itself only the denied *folders* count: notes may live in ``~/.environments/work``.
    """
    return any(_denied_absolute(way) for way in (os.path.abspath(path), os.path.realpath(path)))


def clutter_name(name: str) -> bool:
    """Whether a folder's name is one that tools fill."""
    return name in _CLUTTER


def _denied_absolute(path: str) -> bool:
    parts = path.replace(os.sep, "/").split("/")
    *above, name = parts
    return (
        denied_name(name, above[-1] if above else "")
        or any(part.casefold() in _FOLDERS for part in above)
        or any(_is_inside(part.casefold(), before.casefold()) for before, part in pairwise(parts))
    )


OUTSIDE = (
    "its source lies outside the folders that were given, so it was not looked at; give its folder, too, or name it in"
    " extraRoots of your own settings"
)
TOO_WIDE = (
    "its source was not looked at: a whole disk or a home folder is no place to look for the sources of answer files;"
    " give the folder that the source lies in"
)
UNTRUSTED = "its source was not looked at: nothing that an answer names is read in a window that is not trusted"
_HOLD_HOMES = ("/home", "/users")
_HOMES = ("/root", "/var/root")


@dataclass(frozen=True, slots=True)
class Allowed:
    """Folders that sources may lie in. ``why`` is what is said of a source elsewhere."""

    folders: tuple[tuple[str, str], ...] | None
    """The names of each, absolute and without ``..``, with the path it is opened by; None for any folder."""
    why: str = OUTSIDE

    @classmethod
    def below(cls, paths: Iterable[str]) -> Allowed:
        """The folders of this list, each by the name given and by its real name. Those above which nothing is private
        any more are left out: the whole disk, homes, what homes lie in."""
        found: dict[str, str] = {}
        why = OUTSIDE
        for path in paths:
            folder = os.path.abspath(path)
            if too_wide(folder):
                why = TOO_WIDE
            else:
                found |= {folder: folder, os.path.realpath(folder): folder}
        return cls(tuple(found.items()), why)

    def place(self, path: str) -> tuple[str, str] | None:
        """The folder around an absolute path, and the way down from it with ``/`` between its parts, empty for the
        folder itself; None for a path elsewhere. Nothing is looked at."""
        path = os.path.normpath(path)
        if self.folders is None:
            return path, ""
        around = [each for each in self.folders if inside(path, each[0])]
        if not around:
            return None
        name, folder = max(around, key=lambda each: len(each[0]))
        below = path[len(name) :].strip(os.sep)
        return folder, below.replace(os.sep, "/")


ANYWHERE = Allowed(None)
"""For citations that we keep ourselves: nobody else wrote them."""
NOWHERE = Allowed((), UNTRUSTED)
"""For windows that are not trusted."""


def inside(path: str, folder: str) -> bool:
    """Whether an absolute path is the folder or lies below it, by their names."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def too_wide(folder: str) -> bool:
    """Whether a folder, by whatever name, is the whole disk, a home folder, or one above the user's own."""
    real = os.path.realpath(folder)
    name = os.path.splitdrive(real)[1].replace(os.sep, "/").casefold()
    if name.rpartition("/")[0] in _HOLD_HOMES or name in ("", "/", *_HOLD_HOMES, *_HOMES):
        return True
    wide = {name for home in _homes() for name in _upwards(os.path.realpath(home))}
    return real in wide or any(_same(real, name) for name in wide)


def _homes() -> list[str]:
    homes = [os.path.expanduser("~")]
    try:
        import pwd

        homes.append(pwd.getpwuid(os.getuid()).pw_dir)
    except (ImportError, KeyError):  # no such table, or nobody in it
        pass
    return [home for home in homes if os.path.isabs(home)]


def _upwards(path: str) -> list[str]:
    names = [path]
    while os.path.dirname(names[-1]) != names[-1]:
        names.append(os.path.dirname(names[-1]))
    return names


def _same(one: str, other: str) -> bool:
    """Whether two paths are one folder: by letter case, or since one of them is mounted on the other."""
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return False
