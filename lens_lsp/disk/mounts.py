"""What kind of file system a folder lies on, as far as the system says: Linux has a table of its mounts."""

from __future__ import annotations

import os
from pathlib import Path

# Where another machine, or a program in between, decides what a lock and a sync are worth.
_NETWORK = frozenset(
    {"9p", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs", "nfs4"}
    | {"orangefs", "smb3", "smbfs", "vboxsf"}
    | {f"fuse.{name}" for name in ("ceph", "davfs", "glusterfs", "juicefs", "rclone", "s3fs", "sshfs", "vmhgfs-fuse")}
)
MOUNTS = Path("/proc/self/mountinfo")
"""The table of mounts that Linux gives each process."""


def network_file_system(folder: Path, mounts: Path = MOUNTS) -> str | None:
    """The kind of network file system a folder lies on; None for a local one, and where the system does not say."""
    try:
        kind = kind_of(folder.stat().st_dev, mounts)
    except OSError:
        return None
    return kind if kind in _NETWORK else None


def may_hang(device: int, mounts: Path = MOUNTS) -> bool:
    """Whether files on a device (``st_dev``) are served by another machine or by a program, which may not answer."""
    if os.name != "posix" or os.major(device):  # a disk of this machine
        return False
    kind = kind_of(device, mounts) or ""
    return kind in _NETWORK or kind.partition(".")[0] == "fuse"


def kind_of(device: int, mounts: Path = MOUNTS) -> str | None:
    """The kind of the file system of a device (``st_dev``), None where the system does not say."""
    try:
        table = mounts.read_bytes()
    except OSError:
        return None
    numbers = [b"%d:%d" % (os.major(device), os.minor(device))]
    for line in table.splitlines():
        mount, _, rest = line.partition(b" - ")
        if mount.split()[2:3] == numbers:
            return rest.split(b" ", 1)[0].decode("ascii", "replace")
    return None
