#!/usr/bin/env bash
# Makes the Python environment of the systems that Dragoman is compared with, in the versions it was compared with.
#
# Usage: bench/setup_peers.sh [FOLDER]      default bench/.peers; PYTHON=/path/to/python3 chooses the Python (3.11)
#
# pip is asked for them as it is configured; a folder of wheels, such as PyTorch's CPU wheel, goes into PIP_FIND_LINKS.
set -euo pipefail

case ${1:-} in
  -h | --help) sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
  -*) echo "setup_peers: unknown option $1; expected a folder" >&2; exit 2 ;;
esac

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${1:-$here/.peers}
packages=(torch==2.13.0 numpy==2.4.6 sentencepiece==0.2.3 ctranslate2==4.8.5 pymarian==1.12.42)

"${PYTHON:-python3}" -m venv "$folder"
"$folder/bin/python" -m pip install --disable-pip-version-check "${packages[@]}"
"$folder/bin/python" -c 'import ctranslate2, pymarian, sentencepiece, torch' || {
  echo "setup_peers: what was installed cannot be imported" >&2
  exit 1
}
echo "setup_peers: use bench/compare.py --python $folder/bin/python" >&2
