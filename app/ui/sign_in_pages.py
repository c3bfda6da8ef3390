"""The pages without scripts: where people sign in, and where they change their password."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

from app.access.headers import Header
from app.i18n import Message, translated

# Browsers send Origin with a form only if the page may name itself to its own server.
_HEAD: Final = """<!doctype html>
<html lang="{language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="referrer" content="same-origin"><title>{title}</title>
<style>
html {{ color-scheme: light dark }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 12vh auto 2rem; padding: 0 1rem }}
form {{ display: flex; gap: .5rem; margin-top: 1.5rem; flex-wrap: wrap }}
form.lines {{ display: grid; gap: .25rem; max-width: 22rem }}
form.lines button {{ margin-top: .75rem; justify-self: start }}
input {{ flex: 1 1 16rem; font: inherit; padding: .3rem .5rem }}
button {{ font: inherit; padding: .3rem 1rem }}
a.button {{ display: inline-block; border: 1px solid; border-radius: .25rem; padding: .3rem 1rem }}
details, h2 {{ margin-top: 2rem }}
h2 {{ font-size: 1.1rem }}
[role=alert] {{ border-left: .25rem solid #c33; padding-left: .75rem }}
[role=status] {{ border-left: .25rem solid #2a7; padding-left: .75rem }}
</style>
<main>
"""
_END: Final = "</main>\n</html>\n"
_TOKEN_FORM: Final = """<form action="sign-in" method="post">
<label for="token">{label}</label>
<input id="token" name="token" type="password" autocomplete="{autocomplete}" value="{token}" required{focus}>
<button>{open}</button>
</form>
"""
_PASSWORD_FORM: Final = """<form class="lines" action="sign-in" method="post">
<label for="name">{name_label}</label>
<input id="name" name="name" autocomplete="username" autocapitalize="none" value="{name}" required{at_name}>
<label for="password">{password_label}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required{at_password}>
<button>{sign_in}</button>
</form>
"""
_CHANGE_FORM: Final = """<h2>{change}</h2>
<form class="lines" action="password" method="post">
<input type="hidden" name="name" value="{name}" autocomplete="username">
<label for="password">{password_label}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<label for="new">{new_label}</label>
<input id="new" name="new" type="password" autocomplete="new-password" aria-describedby="hint" required>
<small id="hint">{hint}</small>
<label for="again">{again_label}</label>
<input id="again" name="again" type="password" autocomplete="new-password" required>
<button>{change}</button>
</form>
"""
_EVERYWHERE_FORM: Final = """<h2>{everywhere}</h2>
<p>{browsers}</p>
<form action="sign-out-everywhere" method="post"><button>{everywhere}</button></form>
"""
_MARKUP: Final = ("focus", "at_name", "at_password")  # values of templates that are attributes


def language_of(headers: Iterable[Header]) -> str:
    """The language of a browser if Pinpoint supports it, otherwise English."""
    languages = next((value for name, value in headers if name == b"accept-language"), b"")
    return "de" if languages.lower().startswith(b"de") else "en"


def sign_in_page(
    language: str, problem: str | None, token: str, name: str | None, provider: str = "", *, is_signed_out: bool = False
) -> str:
    """The page with all ways to sign in.

    It asks for a name and a password unless `name` is None, and for the access token; `token` is shown in its field,
    and `name` in that of the name. With a `provider` (OpenID Connect), it has a link to it; if the person
    `is_signed_out`, another one to sign out there, too. `problem` is shown before all.
    """
    is_first = problem is None or not name  # else only the password is missing
    has_token_only = name is None and not provider
    texts = {
        "title": "Pinpoint",
        "label": Message("Access token or key"),
        "open": Message("Open"),
        "name_label": Message("Name"),
        "password_label": Message("Password"),
        "sign_in": Message("Sign in"),
        "at_provider": Message("Sign in with {host}", host=provider),
        "out_of_provider": Message("Sign out of {host}, too", host=provider),
        "other": Message("Sign in with the access token or a key"),
        "problem": problem
        or Message(
            "Open the address that Pinpoint shows when it starts, or enter its access token (the text after token=) or "
            "your key."
        ),
    }
    fixed = {
        "token": token,
        "name": name or "",
        "focus": " autofocus" if has_token_only else "",
        "autocomplete": "current-password" if has_token_only else "off",
        "at_name": " autofocus" if is_first and not provider else "",
        "at_password": "" if is_first else " autofocus",
    }
    parts = ["<h1>{title}</h1>\n"]
    if problem or has_token_only:
        parts.append('<p role="alert">{problem}</p>\n')
    if provider:
        parts.append('<p><a class="button" href="sign-in-openid" autofocus>{at_provider}</a></p>\n')
    if provider and is_signed_out:
        parts.append('<p><a href="sign-out-openid">{out_of_provider}</a></p>\n')
    if name is not None:
        parts.append(_PASSWORD_FORM)
    by_token = "<details><summary>{other}</summary>\n" + _TOKEN_FORM + "</details>\n"
    parts.append(_TOKEN_FORM if has_token_only else by_token)
    return _filled(_HEAD + "".join(parts) + _END, language, texts, fixed)


def account_page(
    language: str,
    name: str,
    num_browsers: int,
    hint: str,
    problem: str = "",
    done: str = "",
    limits: Sequence[Message] = (),
) -> str:
    """The page of a person who is signed in; `num_browsers` are those with a password or by OpenID Connect.

    `hint` says which passwords are accepted; it is empty for a person without a password. `problem` or `done` is what
    became of the person's last request. `limits` are those of the key with which the person is signed in.
    """
    texts = {
        "title": Message("Account of {name}", name=name) if name else Message("Account of the owner"),
        "back": Message("Back to the documents"),
        "problem": problem,
        "done": done,
        "nothing": Message(
            "You do not have a password on this server. An administrator can set one: `pinpoint people password`."
        ),
        "change": Message("Change the password"),
        "password_label": Message("Current password"),
        "new_label": Message("New password"),
        "again_label": Message("New password again"),
        "hint": hint,
        "everywhere": Message("Sign out everywhere"),
        "browsers": Message("Browsers in which you are signed in: {count}.", count=num_browsers),
    }
    parts = ['<h1>{title}</h1>\n<p><a href="./">{back}</a></p>\n']
    if problem:
        parts.append('<p role="alert">{problem}</p>\n')
    if done:
        parts.append('<p role="status">{done}</p>\n')
    for number, limit in enumerate(limits):
        texts[f"limit{number}"] = limit
        parts.append(f"<p>{{limit{number}}}</p>\n")
    parts.append(_CHANGE_FORM if hint else "<p>{nothing}</p>\n")
    if hint or num_browsers:
        parts.append(_EVERYWHERE_FORM)
    return _filled(_HEAD + "".join(parts) + _END, language, texts, {"name": name})


def _filled(template: str, language: str, texts: dict[str, str], fixed: dict[str, str]) -> str:
    """The template with translated texts and fixed values as plain text."""
    values = {**translated(texts, language), **fixed}
    shown = {key: text if key in _MARKUP else escape(text) for key, text in values.items()}
    return template.format(language=language, **shown)
