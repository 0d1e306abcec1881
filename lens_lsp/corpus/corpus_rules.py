"""What may be searched: the user's choices, names that no choice opens, ignore files, scopes, and folders of sources.

Two lists are built in. ``DENIED`` holds what is a secret by its name or keeps one: never read, not even when it is
named on the command line or open in an editor. ``CLUTTER`` holds folders that tools fill: skipped unless the folder
itself is what the user named. Ignore files can add to both and take nothing away (design: privacy first).

Ignore files mean what git says of them, by `Patterns`; nothing inside an ignored folder is brought back. Stronger files
win: ``.gitignore`` < ``.ignore`` < ``.lensignore``, and in each of them the deeper folder. ``.cursorignore`` and
``.aiignore`` only add.

Pattern lines follow ``gitignore(5)``: the last matching line decides, and a line is matched against the entry itself,
never against a folder above it. The matcher is our own rather than ``pathspec``'s ``GitIgnoreSpec``, which answers for
whole file paths: asked about folders, as a walk that prunes must, it ignores every folder under ``*``, ``!*/``,
``!*.md``; and one line of five stars costs it seconds per file name. Here no line costs more than the length of the
path times that of the line. Where git's program and its manual differ (``foo**/x``), this follows the manual.
Characters are code points.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Callable, Container, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from lens_lsp.corpus.safe_open import (
    Handle,
    Root,
    Skipped,
    check_name,
    close_folder,
    is_there,
    open_folder_at,
    read_head_at,
)
from lens_lsp.disk import absolute, is_object_url, real
from lens_lsp.model.documents import PartReason, SkipReason
from lens_lsp.model.errors import PathNotFound, UsageError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex

DENIED: tuple[str, ...] = (
    # keys and certificates
    *("*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.pkcs12", "*.ppk", "*.jks", "*.jceks", "*.bks", "*.keystore"),
    *("*.keytab", "*.snk", "*.agekey", "*.ovpn", "*.nmconnection", "*.kubeconfig", "*.sshkey", "id_rsa*", "id_dsa*"),
    *("id_ecdsa*", "id_ed25519*", "id_xmss*", "ssh_host_*_key", "krb5cc_*", "secring.*", "private_key", "privatekey"),
    *("wg0.conf", "wg1.conf", ".erlang.cookie", ".google_authenticator", ".xauthority", ".ssh/", ".gnupg/"),
    "age/keys.txt",
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
    *("credentials.json", "credentials.yml", "credentials.yaml", "credentials.toml", "credentials.ini"),
    *("credentials.xml", "credentials.csv", "credentials.db", "credentials.properties", "credentials.txt"),
    *("credentials.yml.enc", "credentials-config.json", "application_default_credentials.json", "access_tokens.db"),
    *("secrets.json", "secrets.yml", "secrets.yaml", "secrets.toml", "secrets.ini", "secrets.env"),
    *("secrets.properties", "secret.json", "secret.yml", "secret.yaml", "secret.toml", "secret.txt", "secrets.txt"),
    *("passwords.txt", "password.txt", "passwords.csv", "passwords.json", "passwords.xlsx", "client_secret*.json"),
    *("service-account*.json", "service_account*.json", "serviceaccount*.json", "gcp-key*.json", "bitwarden_export*"),
    *("lastpass_export*", "1password*.csv", "chrome passwords.csv", "kubeconfig", "kubeconfig.yaml"),
    *("kubeconfig.yml", "kubeconfig.json", "talosconfig", "k3s.yaml", ".dockercfg", ".dockerconfigjson", ".s3cfg"),
    *(".boto", ".passwd-s3fs", ".rclone.conf", "rclone.conf", ".databrickscfg", ".terraformrc", "terraform.rc"),
    *(".sentryclirc", "ngrok.yml", ".fetchmailrc", ".msmtprc", ".mbsyncrc", ".offlineimaprc", ".getmailrc"),
    *(".esmtprc", ".curlrc", ".smbcredentials", ".cifscredentials", "sitemanager.xml", "recentservers.xml"),
    *("filezilla.xml", "winscp.ini", "sftp-config.json", ".ftpconfig", ".ftppass", ".remote-sync.json"),
    *("webservers.xml", "datasources.local.xml", "wpa_supplicant.conf", "wp-config.php", "keystore.properties"),
    *("key.properties", "signing.properties", "settings-security.xml", "hudson.util.secret", ".robomongorc.js"),
    *("snowsql.cnf", ".wakatime.cfg", ".password-store/", ".aws/", ".azure/", ".kube/", ".gcloud/", ".oci/"),
    *(".bluemix/", ".terraform.d/", ".talos/", ".docker/config.json", "containers/auth.json", ".composer/auth.json"),
    *("composer/auth.json", ".codex/auth.json", "opencode/auth.json", ".vercel/auth.json"),
    *("com.vercel.cli/auth.json", ".netlify/config.json", ".m2/settings.xml", ".aliyun/config.json"),
    *("doctl/config.yaml", ".fly/config.yml", "gh/hosts.yml", "glab-cli/config.yml", ".circleci/cli.yml"),
    *(".travis/config.yml", ".railway/config.json", ".supabase/access-token", "huggingface/token"),
    *(".huggingface/token", ".bundle/config", ".cargo/credentials", ".gem/credentials", ".dbt/profiles.yml"),
    *(".snowsql/config", ".ngrok2/ngrok.yml", ".vscode/sftp.json", "weechat/sec.conf", "etc/shadow", "etc/gshadow"),
    *("etc/master.passwd", "kubernetes/admin.conf", "kubernetes/super-admin.conf", "kubernetes/kubelet.conf"),
    *(".config/gcloud", ".config/op", ".config/hub", ".config/sops", ".config/doctl", "share/keyrings"),
    *("share/kwalletd", "share/gopass", "library/keychains"),
    # state of tools that holds what they were given
    *("*.tfstate", "*.tfstate.backup", "*.tfvars", "*.tfvars.json"),
    # what was typed into shells and interpreters
    *(".*history", ".*_hist", ".histfile", "fish_history", "*_repl_history", "*.shada", ".dbshell", ".lesshst"),
    *(".viminfo", "_viminfo", "consolehost_history.txt", "ghc/ghci_history", "nushell/history.txt"),
    *("nushell/history.sqlite3", "profile_default/history.sqlite", "pgcli/history", "mycli/history"),
    *("julia/repl_history.jl", "logs/repl_history.jl", ".cassandra/cqlsh_history", "lldb/lldb-widehistory"),
    # browsers and wallets
    *("cookies.sqlite", "cookies.txt", "login data*", "web data", "logins.json", "key3.db", "key4.db"),
    *("signons.sqlite", "formhistory.sqlite", "places.sqlite", "sessionstore.jsonlz4", "recovery.jsonlz4"),
    *("default/cookies", "network/cookies", "default/history", ".config/google-chrome", ".config/chromium"),
    *(".config/bravesoftware", ".config/microsoft-edge", ".config/vivaldi", ".config/opera", "wallet.dat"),
    *("default_wallet", "utc--*", ".mozilla/", ".thunderbird/", ".electrum/", ".bitcoin/", ".ethereum/"),
    # version control: configuration there holds remote URLs with tokens, and every deleted secret
    *(".git/", ".hg/", ".svn/"),
    # what people asked and were answered, when it is kept in the workspace: private, and never evidence
    ".lens/",
)
"""Secrets by name, compared without case; copies of such a file (``.bak``, ``~``) count as well. One with a slash at
its end also counts above a root. One with a slash inside is a name in a folder of a name."""
CLUTTER: tuple[str, ...] = (
    *("node_modules/", "bower_components/", "__pycache__/", ".venv/", ".tox/", ".nox/", ".eggs/", ".cache/"),
    *(".mypy_cache/", ".pytest_cache/", ".ruff_cache/", ".hypothesis/", ".ipynb_checkpoints/", ".gradle/"),
    *(".terraform/", ".parcel-cache/", ".next/", ".nuxt/", ".svelte-kit/", ".direnv/", ".Trash/"),
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
GLOB_LIMIT = 1000
"""Lines of one list with real globs (not just ``name``, ``*.end``, ``start*``) that are honoured."""
_POSIX_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": " \\t-\\r",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
_SPECIAL = regex(r"[*?\[\\]")
_POSIX_CLASS = regex(r"\[:([^\]:]*):\]")
ORDERED_FILES = (".gitignore", ".ignore", ".lensignore")
"""Ignore files, weakest first."""
ADDING_FILES = (".cursorignore", ".aiignore")
"""Ignore files that only add."""
MARKERS = frozenset((*ORDERED_FILES, *ADDING_FILES, ".git"))
"""Names whose presence in a folder changes the rules inside it."""
SIZE_LIMIT = 1 << 20
"""Bytes of an ignore file that are read; what comes after counts for nothing."""
_EXCLUDE = ".git/info/exclude"
_UNKNOWN = frozenset({SkipReason.PERMISSION, SkipReason.UNREADABLE})
_UNUSED = {
    SkipReason.IRREGULAR: PartReason.IGNORE_IRREGULAR,
    SkipReason.LINK: PartReason.IGNORE_LINK,
    SkipReason.PERMISSION: PartReason.IGNORE_PERMISSION,
}
Told = Callable[[str, PartReason], object]
"""Told the path, from the root, of an ignore file that has no effect, or only in part."""


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
        if is_object_url(root_path):
            return None
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
    return any(_denied_absolute(way) for way in (absolute(path), real(path)))


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


@dataclass(frozen=True, slots=True)
class AllowedFolders:
    """Folders that sources may lie in. ``why`` is what is said of a source elsewhere."""

    folders: tuple[tuple[str, str], ...] | None
    """The names of each, absolute and without ``..``, with the path it is opened by; None for any folder."""
    why: str = OUTSIDE

    @classmethod
    def below(cls, paths: Iterable[str]) -> AllowedFolders:
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


ANYWHERE = AllowedFolders(None)
"""For citations that we keep ourselves: nobody else wrote them."""
NOWHERE = AllowedFolders((), UNTRUSTED)
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


class _Rule(NamedTuple):
    """One line. Matches the name, or with ``whole`` the path from the ignore file's folder."""

    negated: bool
    folders_only: bool
    whole: bool
    literal: str | None
    regex: str

    def matches(self, name: str, path: str) -> bool:
        text = path if self.whole else name
        if self.literal is not None:
            return text == self.literal
        return _compiled(self.regex).fullmatch(text) is not None


class Patterns:
    """The lines of one ignore file, or of one list of globs, compiled."""

    __slots__ = ("_ends", "_name_globs", "_names", "_path_globs", "_rules", "_starts")

    def __init__(self, lines: Iterable[str]) -> None:
        rules: list[_Rule] = []
        names: set[str] = set()
        starts: set[str] = set()
        ends: set[str] = set()
        name_globs: list[str] = []
        path_globs: list[str] = []
        for line in lines:
            rule = _parse(line)
            if rule is None:
                continue
            # What follows only says where a match is possible at all; the rules then say who matches last.
            body = _body(line)
            last = body if "[" in body else body.rpartition("/")[2]  # a slash may stand in brackets
            if not _SPECIAL.search(last):
                names.add(last)
            elif not rule.whole and not _SPECIAL.search(last[1:]) and last[0] == "*":
                ends.add(last[1:])
            elif not rule.whole and not _SPECIAL.search(last[:-1]) and last[-1] == "*":
                starts.add(last[:-1])
            elif len(name_globs) + len(path_globs) < GLOB_LIMIT:
                (path_globs if rule.whole else name_globs).append(rule.regex)
            else:
                continue
            rules.append(rule)
        self._rules = tuple(reversed(rules))
        self._names = frozenset(names)
        self._starts = tuple(starts)
        self._ends = tuple(ends)
        self._name_globs = _any_of(name_globs)
        self._path_globs = _any_of(path_globs)

    def __bool__(self) -> bool:
        return bool(self._rules)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Patterns) and self._rules == other._rules

    __hash__ = None  # type: ignore[assignment]

    def verdict(self, name: str, path: str, folder: bool, cut: int = 0, above: str = "") -> bool | None:
        """``True``: matched. ``False``: matched last by a ``!`` line. ``None``: nothing here speaks of it.

        ``above + path[cut:]`` is the path from the folder the lines belong to; it ends in ``name``.
        """
        if (
            name not in self._names
            and not name.endswith(self._ends)
            and not name.startswith(self._starts)
            and (self._name_globs is None or not self._name_globs.fullmatch(name))
            and (self._path_globs is None or not self._path_globs.fullmatch(above + path[cut:]))
        ):
            return None
        path = above + path[cut:]
        for rule in self._rules:
            if (folder or not rule.folders_only) and rule.matches(name, path):
                return not rule.negated
        return None


def _stripped(line: str) -> str:
    """Without trailing spaces, unless the first of them is escaped."""
    bare = line.rstrip(" ")
    escaped = (len(bare) - len(bare.rstrip("\\"))) % 2 == 1
    return bare + " " if escaped and len(bare) < len(line) else bare


def _body(line: str) -> str:
    """The pattern itself: no ``!``, no slash at the end, no slash at the start."""
    return _stripped(line).removeprefix("!").removesuffix("/").removeprefix("/")


def _parse(line: str) -> _Rule | None:
    """One line; ``None`` for blank lines, comments and patterns that can match nothing."""
    line = _stripped(line)
    if not line or line.startswith("#"):
        return None
    negated = line.startswith("!")
    pattern = line.removeprefix("!")
    folders_only = pattern.endswith("/")
    pattern = pattern.removesuffix("/")
    whole = "/" in pattern
    pattern = pattern.removeprefix("/")
    if not pattern:
        return None
    if not _SPECIAL.search(pattern):
        return _Rule(negated, folders_only, whole, pattern, "")
    segments = _segments(pattern) if whole else None
    regex = _segment_regex(pattern) if not whole else None if segments is None else _path_regex(segments)
    return None if regex is None else _Rule(negated, folders_only, whole, None, regex)


def _segments(pattern: str) -> list[str] | None:
    """The pattern at its slashes, but for those in brackets; ``None`` if one does not end: then nothing can match."""
    segments = [""]
    at = 0
    while at < len(pattern):
        end = at + 2 if pattern[at] == "\\" else at + 1
        if pattern[at] == "[":
            found = _class_regex(pattern, at)
            if found is None:  # to look at the next ones, each to the end, would take the square of the length
                return None
            end = found[1]
        if pattern[at] == "/":
            segments.append("")
        else:
            segments[-1] += pattern[at:end]
        at = end
    return segments


def _path_regex(segments: list[str]) -> str | None:
    """A regex for segments, ``**`` among them being any number of folders; ``None`` if nothing can match.

    Runs of segments between two ``**`` may match where they first can, for good: atomic, so no line is
    exponential.
    """
    if "" in segments:  # no path has an empty part
        return None
    segments = ["**" if len(segment) > 1 and not segment.strip("*") else segment for segment in segments]
    if segments[-1] == "**":
        segments = [*segments[:-1], "**", "*"]
    runs: list[list[str]] = [[]]
    for segment in segments:
        if segment == "**":
            if runs[-1] or len(runs) == 1:
                runs.append([])
            continue
        regex = _segment_regex(segment)
        if regex is None:
            return None
        runs[-1].append(regex)
    first, *rest = ["/".join(run) for run in runs]
    if not rest:
        return first
    regex = first + "/" if first else ""
    for run in rest[:-1]:
        regex += f"(?>(?:.*?/)??{run}/)"
    return f"{regex}(?:.*/)?{rest[-1]}"


def _segment_regex(segment: str) -> str | None:
    """A regex for one segment; pieces between stars match where they first can, for good."""
    pieces = [""]
    at = 0
    while at < len(segment):
        character = segment[at]
        if character == "*":
            pieces.append("")
            at += 1
        elif character == "[":
            found = _class_regex(segment, at)
            if found is None:
                return None
            regex, at = found
            pieces[-1] += regex
        else:
            if character == "\\":
                at += 1
                if at == len(segment):
                    return None
            pieces[-1] += "[^/]" if character == "?" else re.escape(segment[at])
            at += 1
    first, *rest = pieces
    if not rest:
        return first
    return first + "".join(f"(?>[^/]*?{piece})" for piece in rest[:-1] if piece) + "[^/]*" + rest[-1]


def _class_regex(segment: str, start: int) -> tuple[str, int] | None:
    """A regex for the bracket expression at ``start`` and where it ends; ``None`` if it does not end."""
    at = start + 1
    negated = segment[at : at + 1] in ("!", "^") and at < len(segment)
    at += negated
    items = ""
    first = at
    while at < len(segment) and (segment[at] != "]" or at == first):
        posix = _POSIX_CLASS.match(segment, at)
        if posix:
            if posix[1] not in _POSIX_CLASSES:
                return None
            items += _POSIX_CLASSES[posix[1]]
            at = posix.end()
            continue
        low, at = _class_character(segment, at)
        if segment[at : at + 1] == "-" and segment[at + 1 : at + 2] not in ("", "]"):
            high, at = _class_character(segment, at + 1)
            # A range the wrong way round is its first character, in git.
            items += f"{re.escape(low)}-{re.escape(high)}" if low <= high else re.escape(low)
        else:
            items += re.escape(low)
    if at >= len(segment):
        return None
    if negated:
        return f"[^/{items}]", at + 1
    return (f"(?!/)[{items}]" if items else "(?!)"), at + 1


def _class_character(segment: str, at: int) -> tuple[str, int]:
    if segment[at] == "\\" and at + 1 < len(segment):
        at += 1
    return segment[at], at + 1


def _any_of(regexes: list[str]) -> re.Pattern[str] | None:
    return re.compile("|".join(f"(?:{regex})" for regex in regexes), re.DOTALL) if regexes else None


@lru_cache(maxsize=4096)
def _compiled(regex: str) -> re.Pattern[str]:
    return re.compile(regex, re.DOTALL)


def _nobody(path: str, reason: PartReason) -> None:
    """Nobody wants to know."""


class _Layer(NamedTuple):
    """Patterns of one folder, as seen from the walk.

    The path they see is ``above + path[cut:]``: ``cut`` code points of the path from the root lead to their
    folder, or their folder is above the root and ``above`` leads down to it.
    """

    patterns: Patterns
    cut: int
    above: str


class IgnoreRules:
    """All rules in force in one folder; immutable, extended on the way down."""

    __slots__ = ("_adding", "_deciding", "_kinds", "silent")

    def __init__(self, kinds: Sequence[tuple[_Layer, ...]], adding: Sequence[tuple[_Layer, ...]]) -> None:
        self._kinds = tuple(kinds)  # as ORDERED_FILES
        self._adding = tuple(adding)  # the user's patterns, then as ADDING_FILES, then those of projects
        ordered = tuple(layer for kind in reversed(self._kinds) for layer in kind)
        # In each of these the first that speaks decides, and one that says yes is enough.
        self._deciding = tuple(layers for layers in (*self._adding, ordered) if layers)
        self.silent = not self._deciding
        """Whether no rule is in force, so that nothing needs to be asked."""

    def __eq__(self, other: object) -> bool:
        """Whether two sets of rules say the same of every entry."""
        if self is other:
            return True
        return isinstance(other, IgnoreRules) and self._kinds == other._kinds and self._adding == other._adding

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def of_root(cls, root_path: str, rules: CorpusRules, told: Told = _nobody) -> IgnoreRules:
        """What holds before the root is read: the user's patterns, the projects', the repository's files above it.
        ``told`` hears of those of these files that cannot be used.

        Raises `Skipped` where one of these files cannot be read, as `inside` does.
        """
        own = _added((), list(rules.exclude), "", "")
        projects = [
            _added((), list(project.exclude), "", above)
            for project in rules.projects
            if (above := project.above(root_path)) is not None
        ]
        start = cls([()] * len(ORDERED_FILES), [own, *[()] * len(ADDING_FILES), *projects])
        if not rules.respect_ignore_files or is_object_url(root_path):
            return start
        return _from_above(start, os.path.realpath(root_path), told)

    def ignores(self, name: str, path: str, folder: bool) -> bool:
        """Whether an entry is ignored; ``path`` is from the root and ends in ``name``."""
        for layers in self._deciding:
            for patterns, cut, above in layers:
                verdict = patterns.verdict(name, path, folder, cut, above)
                if verdict is not None:
                    if verdict:
                        return True
                    break
        return False

    def inside(
        self, handle: Handle, names: Container[str], prefix: str, above: str = "", told: Told = _nobody
    ) -> IgnoreRules:
        """The rules inside an open folder that holds ``names``; the very same object when it adds none. ``told`` hears
        of ignore files that cannot be used.

        A folder with a ``.git`` of its own starts anew with its ``.gitignore`` files, as in git. Raises `Skipped` where
        an ignore file cannot be read: what it hides must not be searched, and may be everything.
        """
        present = [name for name in (*ORDERED_FILES, *ADDING_FILES) if name in names]
        repository = ".git" in names
        if not present and not repository:
            return self
        kinds = list(self._kinds)
        adding = list(self._adding)
        if repository:
            exclude = _lines(_repository_exclude(handle, prefix, told), prefix + _EXCLUDE, told)
            kinds[0] = _added((), exclude, prefix, above)
        for name in present:
            lines = _lines(_content(handle, name, prefix + name, told), prefix + name, told)
            if name in ORDERED_FILES:
                at = ORDERED_FILES.index(name)
                kinds[at] = _added(kinds[at], lines, prefix, above)
            else:
                at = 1 + ADDING_FILES.index(name)
                adding[at] = _added(adding[at], lines, prefix, above)
        return IgnoreRules(kinds, adding)


def _added(layers: tuple[_Layer, ...], lines: list[str], prefix: str, above: str) -> tuple[_Layer, ...]:
    patterns = Patterns(lines)
    return (_Layer(patterns, len(prefix), above), *layers) if patterns else layers


def _from_above(rules: IgnoreRules, real_path: str, told: Told) -> IgnoreRules:
    """Add the ignore files above the root, up to and in the nearest folder that holds ``.git``."""
    folder = real_path
    between: list[str] = []
    while not os.path.lexists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return rules
        folder = parent
        between.append(folder)
    for folder in reversed(between):
        above = os.path.relpath(real_path, folder).replace(os.sep, "/") + "/"
        up = "../" * above.count("/")

        def tell(path: str, reason: PartReason, up: str = up) -> None:
            told(up + path, reason)

        names = {name for name in MARKERS if os.path.lexists(os.path.join(folder, name))}
        try:
            with Root(folder) as opened:
                rules = rules.inside(opened.handle, names, "", above, tell)
        except PathNotFound:
            continue  # a folder that may be passed through but not be read
    return rules


def _content(handle: Handle, name: str, path: str, told: Told) -> bytes:
    """What an ignore file says: nothing where it is a link, as for git, or gone. Raises `Skipped` if nobody knows."""
    try:
        return read_head_at(handle, name, SIZE_LIMIT + 1)
    except Skipped as error:
        unknown = error.reason in _UNKNOWN and is_there(handle, name)
        if unknown:
            raise Skipped(SkipReason.IGNORE_FILE) from error
        if error.reason in _UNUSED:
            told(path, _UNUSED[error.reason])
        return b""


def _repository_exclude(handle: Handle, prefix: str, told: Told) -> bytes:
    """``.git/info/exclude``. Where ``.git`` is a file, the repository lies elsewhere and is not followed."""
    opened: list[Handle] = []
    try:
        for name in (".git", "info"):
            handle = open_folder_at(handle, name)
            opened.append(handle)
        return read_head_at(handle, "exclude", SIZE_LIMIT + 1)
    except Skipped as error:
        if error.reason in _UNUSED and opened:
            told(prefix + _EXCLUDE, _UNUSED[error.reason])
        return b""
    finally:
        for folder in opened:
            close_folder(folder)


def _lines(data: bytes, path: str, told: Told) -> list[str]:
    """The lines as git sees them; names with bytes that are no text keep them, as the walk does."""
    if len(data) > SIZE_LIMIT:
        data = data[: data.rfind(b"\n", 0, SIZE_LIMIT) + 1]
        told(path, PartReason.IGNORE_CUT)
    if b"\0" in data:  # UTF-16 mostly: its bytes are no pattern that any name has
        told(path, PartReason.IGNORE_NO_TEXT)
    return [os.fsdecode(line.removesuffix(b"\r")) for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n")]


class Scopes:
    """The user's scopes from the root; without any those of the projects around it, from their folders."""

    __slots__ = ("_sets", "hold_all")

    def __init__(self, root_path: str, rules: CorpusRules) -> None:
        sets = [(Patterns(rules.scopes), "")] if rules.scopes else _of_projects(root_path, rules)
        self._sets = [(patterns, above) for patterns, above in sets if patterns]
        self.hold_all = not self._sets or any(_holds_root(patterns, above) for patterns, above in self._sets)
        """Whether everything below the root is in scope."""

    def name(self, name: str, path: str, folder: bool) -> bool:
        """Whether a scope names an entry; ``path`` is from the root and ends in ``name``."""
        return any(patterns.verdict(name, path, folder, 0, above) is True for patterns, above in self._sets)


def _of_projects(root_path: str, rules: CorpusRules) -> list[tuple[Patterns, str]]:
    return [
        (Patterns(project.scopes), above)
        for project in rules.projects
        if project.scopes and (above := project.above(root_path)) is not None
    ]


def _holds_root(patterns: Patterns, above: str) -> bool:
    """Whether a folder on the way down to the root, or the root itself, is named."""
    steps = above.split("/")[:-1]
    return any(patterns.verdict(step, "/".join(steps[: at + 1]), True) is True for at, step in enumerate(steps))


def left_out(root: Root, path: str, rules: CorpusRules) -> SkipReason | None:
    """Why a walk from the root would not come to a path below it; None where it would, if there is such a file.

    Folders on the way are opened one from the other, as a walk does. Raises `PathRefused` for a path that is not plain.
    """
    names = path.split("/")
    for name in names:
        check_name(name, path)
    if denied_root(root.path):
        return SkipReason.DENIED
    handle: Handle = root.handle
    try:
        here = IgnoreRules.of_root(root.path, rules)
        scopes = Scopes(root.path, rules)
        in_scope = scopes.hold_all
        for depth, name in enumerate(names):
            here = _inside(here, handle, "".join(f"{step}/" for step in names[:depth]), rules)
            reached, folder = "/".join(names[: depth + 1]), depth < len(names) - 1
            if denied_name(name, names[depth - 1] if depth else name_of(root.path)):
                return SkipReason.DENIED
            if (folder and clutter_name(name)) or here.ignores(name, reached, folder):
                return SkipReason.IGNORED
            in_scope = in_scope or scopes.name(name, reached, folder)
            if folder:
                above, handle = handle, open_folder_at(handle, name)
                if above != root.handle:
                    close_folder(above)
        return None if in_scope else SkipReason.OUT_OF_SCOPE
    except Skipped as error:
        return error.reason
    finally:
        if handle != root.handle:
            close_folder(handle)


def _inside(here: IgnoreRules, handle: Handle, prefix: str, rules: CorpusRules) -> IgnoreRules:
    """The rules inside an open folder. Raises `Skipped` where one of its ignore files cannot be read."""
    if not rules.respect_ignore_files:
        return here
    markers = frozenset(name for name in MARKERS if is_there(handle, name))
    return here.inside(handle, markers, prefix) if markers else here
