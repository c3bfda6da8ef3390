#!/usr/bin/env bash
# webvtt-py 0.6.0: conversions between SubRip and WebVTT lose words between < and >, and leave entities.
#
# In SubRip, < and & are ordinary characters. In WebVTT, < begins a tag and & an entity, so they must be written &lt; and
# &amp; (W3C, "WebVTT cue text span"). `from_srt` does not write them so: its file has the tag "< 5 and y >", which players
# do not show and the library's own `text` leaves out. In the other direction, `write` with format="srt" removes the tags
# and leaves the entities, which viewers then read. The README offers "Converting captions from other formats" without a
# restriction; we found no report.
#
# Output seen:
#   SubRip to WebVTT: 'If x < 5 and y > 2, press R&D.' -> 'If x < 5 and y > 2, press R&D.', read as 'If x  2, press R&D.'
#   WebVTT to SubRip: 'If x &lt; 5, press <i>R&amp;D</i>.' -> 'If x &lt; 5, press R&amp;D.'
#
# Exit status 1 if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet webvtt-py==0.6.0
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import io
import sys
from pathlib import Path

from webvtt import WebVTT

SUBRIP, WEB = "If x < 5 and y > 2, press R&D.", "If x &lt; 5, press <i>R&amp;D</i>."
Path("a.srt").write_text(f"1\n00:00:01,000 --> 00:00:02,000\n{SUBRIP}\n")
made = WebVTT.from_srt("a.srt").content.splitlines()[-1]
read = WebVTT.from_string(f"WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n{made}\n")[0].text
print(f"SubRip to WebVTT: {SUBRIP!r} -> {made!r}, read as {read!r}")
output = io.StringIO()
WebVTT.from_string(f"WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n{WEB}\n").write(output, format="srt")
written = output.getvalue().splitlines()[2]
print(f"WebVTT to SubRip: {WEB!r} -> {written!r}")
sys.exit([made, read, written] != [SUBRIP, "If x  2, press R&D.", "If x &lt; 5, press R&amp;D."])
PYTHON
