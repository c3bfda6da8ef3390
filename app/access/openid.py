"""Sign-in by OpenID Connect: a provider, such as the one of a company, tells who a person is.

The authorization code flow with PKCE (RFC 7636), state and nonce. The ID token's signature, issuer, audience, times and
nonce are checked (OpenID Connect Core, section 3.1.3.7).
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import logging
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import quote_plus, urlencode, urlsplit

import httpx

from app.access.actor import is_name
from app.errors import AppError, SignInError
from app.i18n import Message
from app.settings import AppSettings, is_safe_address

if TYPE_CHECKING:
    from joserfc.jwk import KeySetSerialization

FLOW_SECONDS: Final = 600  # how long a person may take at the provider
_SECONDS: Final = 15.0  # for all requests of a step
_LEEWAY_SECONDS: Final = 120  # between the clocks of the provider and of this server
_KEPT_SECONDS: Final = 600.0  # for the provider's addresses
_MAX_RUNNING: Final = 20  # steps at the same time
# Signatures with public keys only: with a shared secret, every program that knows it could sign.
_ALGORITHMS: Final = (
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519",
)  # fmt: skip
_ADDRESSES: Final = ("authorization_endpoint", "token_endpoint", "jwks_uri")
_OPTIONAL_ADDRESSES: Final = ("userinfo_endpoint", "end_session_endpoint")
_LOG: Final = logging.getLogger("pinpoint.server")


@dataclass(frozen=True, slots=True)
class Provider:
    """The provider at the address `issuer`, and this server as its client.

    The name of a person is the claim `claim`. People may sign in if they are in one of `groups`, or have an e-mail
    address of one of `domains`, or have a role in Pinpoint. After so many `hours`, they sign in again.
    """

    issuer: str
    client: str
    secret: str = ""
    claim: str = "email"
    groups: frozenset[str] = frozenset()
    domains: frozenset[str] = frozenset()
    groups_claim: str = "groups"
    hours: int = 12

    @classmethod
    def of(cls, settings: AppSettings) -> Provider | None:
        """The provider of these settings; None without one. Raises AppError if the file of the secret is unusable."""
        if not settings.oidc_issuer:
            return None
        secret, file = "", settings.oidc_secret_file
        if file is not None:
            try:
                secret = file.read_text(encoding="utf-8").strip()
            except (OSError, UnicodeDecodeError) as error:
                raise AppError("--oidc-secret-file: {path} cannot be read: {error}", path=file, error=error) from error
            if not secret:
                raise AppError("--oidc-secret-file: {path} is empty: write the secret into it", path=file)
        domains = frozenset(domain.lower().removeprefix("@") for domain in settings.oidc_domain)
        return cls(
            settings.oidc_issuer, settings.oidc_client, secret, settings.oidc_claim, frozenset(settings.oidc_group),
            domains, settings.oidc_groups_claim, settings.oidc_hours,
        )  # fmt: skip

    @property
    def wanted(self) -> frozenset[str]:
        """The claims that decide who a person is, and whether they may sign in."""
        email = {"email", "email_verified"} if self.domains or self.claim == "email" else set()
        return frozenset({self.claim} | email | ({self.groups_claim} if self.groups else set()))

    @property
    def host(self) -> str:
        """The name of the provider, as pages show it."""
        return urlsplit(self.issuer).netloc


class OpenId:
    """Signs people in with a provider."""

    def __init__(
        self,
        provider: Provider,
        has_role: Callable[[str], bool],
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """`has_role` is true for the name of a person with a role. `transport` sends the requests to the provider."""
        self.provider = provider
        self._has_role = has_role
        self._transport = transport
        self._metadata: dict[str, Any] = {}
        self._read_at = 0.0
        self._num_running = 0

    async def begin(self, return_to: str) -> tuple[str, str]:
        """The address at the provider where a person signs in, and a secret for the cookie of the browser.

        The provider leads the browser to the address `return_to`. Raises SignInError.
        """
        from authlib.oauth2.rfc6749.parameters import prepare_grant_uri
        from authlib.oauth2.rfc7636 import create_s256_code_challenge

        async with self._step() as step:
            metadata = await step.metadata()
        secret = secrets.token_urlsafe(32)
        scopes = ["openid", "profile", "email"]
        if self.provider.groups and "groups" in metadata.get("scopes_supported", ()):
            scopes.append("groups")
        address = prepare_grant_uri(
            metadata["authorization_endpoint"],
            self.provider.client,
            "code",
            return_to,
            " ".join(scopes),
            _derived(secret, "state"),
            nonce=_derived(secret, "nonce"),
            code_challenge=create_s256_code_challenge(_derived(secret, "verifier")),
            code_challenge_method="S256",
        )
        return str(address), secret

    async def finish(self, answer: Mapping[str, str], secret: str, return_to: str) -> str:
        """The name of the person whom the provider has signed in.

        `answer` is the query with which the browser came back, `secret` that of its cookie. Raises SignInError.
        """
        # Else a link could sign a person in as somebody else, who then reads what the person writes.
        if not secret or not hmac.compare_digest(answer.get("state", "").encode(), _derived(secret, "state").encode()):
            raise SignInError(Message("This sign-in was not started in this browser, or took too long: sign in again."))
        if error := answer.get("error"):
            raise self._refused_by_provider(error)
        async with self._step() as step:
            metadata = await step.metadata()
            if answer.get("iss", metadata["issuer"]) != metadata["issuer"]:  # RFC 9207
                raise self._invalid("iss")
            tokens = await step.tokens(answer.get("code", ""), _derived(secret, "verifier"), return_to)
            claims = await step.claims(tokens, _derived(secret, "nonce"))
        return self._admitted(claims)

    async def sign_out_address(self, back: str) -> str | None:
        """The address at the provider where a person signs out, and comes back; None if it has none."""
        async with self._step() as step:
            metadata = await step.metadata()
        if not (address := metadata.get("end_session_endpoint")):
            return None
        query = urlencode({"client_id": self.provider.client, "post_logout_redirect_uri": back})
        return f"{address}{'&' if '?' in address else '?'}{query}"

    @asynccontextmanager
    async def _step(self) -> AsyncIterator[_Step]:
        """One step of a sign-in; if the provider cannot be reached, it ends with a SignInError."""
        if self._num_running >= _MAX_RUNNING:
            raise SignInError(Message("Many people are signing in: try again in {seconds} seconds.", seconds=2), 2)
        self._num_running += 1
        try:
            async with asyncio.timeout(_SECONDS), httpx.AsyncClient(transport=self._transport) as client:
                yield _Step(self, client)
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
            _LOG.warning("the provider of sign-ins cannot be reached")
            raise SignInError(
                Message(
                    "{host} cannot be reached, or does not answer as expected: try again later.",
                    host=self.provider.host,
                )
            ) from error
        finally:
            self._num_running -= 1

    def _admitted(self, claims: Mapping[str, Any]) -> str:
        """The name in the claims of the provider, if this person may sign in."""
        provider = self.provider
        name = claims.get(provider.claim)
        if not isinstance(name, str) or not is_name(name := name.strip()):
            raise SignInError(
                Message(
                    "{host} has not sent a usable name in {claim}: an administrator can choose another claim "
                    "(--oidc-claim).",
                    host=provider.host,
                    claim=provider.claim,
                )
            )
        # Amazon Cognito sends it as text.
        is_verified = claims.get("email_verified") in (True, "true")
        if provider.claim == "email" and not is_verified:
            raise SignInError(
                Message(
                    "{host} does not confirm that {name} is your e-mail address: verify it there, or ask an "
                    "administrator to choose another claim (--oidc-claim).",
                    host=provider.host,
                    name=name,
                )
            )
        groups, email = claims.get(provider.groups_claim), claims.get("email")
        is_in_group = isinstance(groups, list) and not provider.groups.isdisjoint(filter(_is_text, groups))
        is_in_domain = is_verified and isinstance(email, str) and email.rpartition("@")[2].lower() in provider.domains
        if not (is_in_group or is_in_domain or self._has_role(name)):
            raise SignInError(Message("{name} may not use this server: ask an administrator for access.", name=name))
        return name

    def _refused_by_provider(self, error: str) -> SignInError:
        _LOG.warning("sign-in refused by the provider")
        if error == "access_denied":
            return SignInError(Message("{host} has not signed you in.", host=self.provider.host))
        if error in ("invalid_client", "unauthorized_client"):
            return SignInError(
                Message(
                    "{host} does not accept this server as a client: an administrator has to check --oidc-client, "
                    "--oidc-secret-file and the addresses to which {host} may return.",
                    host=self.provider.host,
                )
            )
        if error == "invalid_grant":
            return SignInError(Message("This sign-in took too long, or was used already: sign in again."))
        shown = error if error.isprintable() and len(error) <= 100 else "?"
        return SignInError(
            Message("{host} has not signed you in ({error}): try again.", host=self.provider.host, error=shown)
        )

    def _invalid(self, what: str) -> SignInError:
        _LOG.warning("sign-in with a wrong answer of the provider")
        return SignInError(
            Message(
                "The answer of {host} cannot be trusted ({what}): an administrator has to check --oidc-issuer and "
                "--oidc-client.",
                host=self.provider.host,
                what=what,
            )
        )


class _Step:
    """The requests to the provider for one step of a sign-in."""

    def __init__(self, openid: OpenId, client: httpx.AsyncClient) -> None:
        self._openid = openid
        self._provider = openid.provider
        self._client = client

    async def metadata(self) -> dict[str, Any]:
        """The addresses of the provider (OpenID Connect Discovery), which are kept for a while."""
        now = time.monotonic()
        if not self._openid._metadata or now - self._openid._read_at > _KEPT_SECONDS:
            found = await self._json("GET", f"{self._provider.issuer.rstrip('/')}/.well-known/openid-configuration")
            if found.get("issuer") != self._provider.issuer:
                raise self._openid._invalid("issuer")
            given = {name: found[name] for name in _OPTIONAL_ADDRESSES if name in found}
            required = {name: found.get(name) for name in _ADDRESSES}
            for name, address in (required | given).items():
                if not isinstance(address, str) or not is_safe_address(address):
                    raise self._openid._invalid(name)
            self._openid._metadata, self._openid._read_at = found, now
        return self._openid._metadata

    async def tokens(self, code: str, verifier: str, return_to: str) -> dict[str, Any]:
        """The tokens for a code."""
        metadata, provider = await self.metadata(), self._provider
        form = {
            "grant_type": "authorization_code", "code": code, "redirect_uri": return_to, "code_verifier": verifier,
        }  # fmt: skip
        methods = metadata.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
        if provider.secret and "client_secret_basic" in methods:
            # Encoded first (RFC 6749, section 2.3.1), else a provider refuses a secret with % or +.
            auth = httpx.BasicAuth(quote_plus(provider.client), quote_plus(provider.secret))
        else:
            auth = None
            form["client_id"] = provider.client
            if provider.secret:
                form["client_secret"] = provider.secret
        return await self._json("POST", metadata["token_endpoint"], data=form, auth=auth)

    async def claims(self, tokens: Mapping[str, Any], nonce: str) -> dict[str, Any]:
        """What the provider says about the person, in the ID token or else in its answer to a question."""
        metadata = await self.metadata()
        found = self._id_token(tokens, nonce, await self._json("GET", metadata["jwks_uri"]), metadata["issuer"])
        if not self._provider.wanted <= found.keys() and (address := metadata.get("userinfo_endpoint")):
            bearer = {"authorization": f"Bearer {tokens.get('access_token', '')}"}
            more = await self._json("GET", address, headers=bearer)
            if more.get("sub") != found["sub"]:
                raise self._openid._invalid("sub")
            found = {**more, **found}
        return found

    def _id_token(self, tokens: Mapping[str, Any], nonce: str, keys: dict[str, Any], issuer: str) -> dict[str, Any]:
        """The claims of the ID token, which is checked."""
        from authlib.oidc.core import CodeIDToken
        from joserfc import jwt
        from joserfc.errors import ExpiredTokenError, InvalidClaimError, JoseError
        from joserfc.jwk import KeySet
        from joserfc.jws import JWSRegistry

        client = self._provider.client
        required = {"iss": {"essential": True, "value": issuer}, "aud": {"essential": True, "value": client}}
        given = {"nonce": nonce, "client_id": client, "access_token": tokens.get("access_token")}
        try:
            key_set = KeySet.import_key_set(cast("KeySetSerialization", keys))
            registry = JWSRegistry(algorithms=list(_ALGORITHMS), strict_check_header=False)
            token = jwt.decode(str(tokens.get("id_token", "")), key_set, registry=registry)
            claims = CodeIDToken(token.claims, token.header, required, given)
            claims.validate(leeway=_LEEWAY_SECONDS)
        except (JoseError, ValueError, TypeError, KeyError) as error:
            is_early = isinstance(error, InvalidClaimError) and error.claim in ("iat", "nbf")
            if isinstance(error, ExpiredTokenError) or is_early:
                _LOG.warning("sign-in with a token of another time")
                raise SignInError(
                    Message(
                        "The clocks of this server and of {host} differ: an administrator has to set the right time.",
                        host=self._provider.host,
                    )
                ) from error
            raise self._openid._invalid(getattr(error, "claim", "") or getattr(error, "error", "id_token")) from error
        return dict(claims)

    async def _json(self, method: str, address: str, **content: Any) -> dict[str, Any]:
        """The JSON object that the provider answers with. Raises SignInError for an error of OAuth."""
        reply = await self._client.request(method, address, **content)
        try:
            found = reply.json()
        except ValueError:
            found = None
        if isinstance(found, dict) and isinstance(error := found.get("error"), str) and reply.is_client_error:
            raise self._openid._refused_by_provider(error)
        reply.raise_for_status()
        if not isinstance(found, dict):
            raise httpx.DecodingError("the answer is not a JSON object")
        return found


def _derived(secret: str, purpose: str) -> str:
    """A value that only the owner of the secret knows, and that does not reveal it."""
    digest = hmac.digest(secret.encode(), purpose.encode(), hashlib.sha256)
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode("ascii")


def _is_text(value: object) -> bool:
    return isinstance(value, str)
