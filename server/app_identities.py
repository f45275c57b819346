"""The identities of an app in its file: the algorithm of the tokens that name its users, and where their keys are."""

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from server.web_addresses import base_address

Algorithm = Literal["HS256", "RS256", "ES256"]
SECRET_CHARACTERS = range(32, 513)
"""RFC 7518 §3.2: a key of HS256 has at least as many bits as the hash."""


class AppIdentities(BaseModel):
    """The verification of one app's tokens at `POST /v1/identify`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    algorithm: Algorithm = Field("HS256", description="The one algorithm that its tokens are signed with.")
    secret: tuple[str, ...] = Field(
        (),
        max_length=2,
        repr=False,
        description="Of HS256: 32 to 512 characters, two while one replaces the other.",
    )
    jwks_url: str | None = Field(
        None, description="Of RS256 and ES256: where the app publishes its public keys, https at port 443."
    )

    @field_validator("secret", mode="before")
    @classmethod
    def _one_or_two(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @field_validator("secret")
    @classmethod
    def _are_long(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """Refuse at the start what could be guessed."""
        if any(len(each) not in SECRET_CHARACTERS for each in value):
            raise ValueError("a secret has 32 to 512 characters")
        return value

    @field_validator("jwks_url")
    @classmethod
    def _is_an_address(cls, value: str | None) -> str | None:
        if value is not None:
            base_address(value)
        return value

    @model_validator(mode="after")
    def _has_what_its_algorithm_needs(self) -> Self:
        if self.algorithm == "HS256" and (not self.secret or self.jwks_url is not None):
            raise ValueError("HS256 needs a secret, and no jwks_url")
        if self.algorithm != "HS256" and (self.jwks_url is None or self.secret):
            raise ValueError(f"{self.algorithm} needs a jwks_url, and no secret")
        return self
