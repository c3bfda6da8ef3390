"""Formats of subtitles: SubRip, WebVTT, ASS."""
