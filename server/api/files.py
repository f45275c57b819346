"""POST /v1/sessions/{id}/files: a picture for a message that is still to be sent."""

from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from server.api.multipart_forms import FORM, media_type_of, read_form
from server.auth import Origins
from server.endpoints.address_rates import hold_pictures, spend_images
from server.endpoints.authorize import refusal, sender_of
from server.endpoints.dependencies import Dependencies
from server.endpoints.picture_storage import KEEP_IMAGES_S, MEDIA_TYPE, store_picture
from server.errors import BadFrame, LoopwireError, UnsupportedMediaType
from server.images import read_image
from server.rooms.admission import Admission


class UnsupportedUpload(UnsupportedMediaType):
    """The body is neither a form nor a picture."""

    text = "Send a form (multipart/form-data) with one file, or the picture itself (image/…)."


def routes(parts: Dependencies, admission: Admission, origins: Origins) -> list[BaseRoute]:
    """POST /v1/sessions/{id}/files; the sender is known as at the commands."""

    async def upload(request: Request) -> Response:
        try:
            hello, grant, session = await sender_of(request, admission, origins)
            async with admission.spending(hello, grant):
                await spend_images(request, parts, 1)
                file = await _file_of(request)
                with hold_pictures(request, parts, [file]):
                    picture = await read_image(file)
                del file
                blob = await store_picture(parts.store, session, picture, KEEP_IMAGES_S)
        except LoopwireError as error:
            return refusal(error)
        body = {
            "blob_id": blob,
            "url": f"/v1/sessions/{session.id}/blobs/{blob}",
            "media_type": MEDIA_TYPE,
            "width": picture.width,
            "height": picture.height,
            "bytes": len(picture.data),
        }
        return JSONResponse(body, HTTPStatus.CREATED)

    return [Route("/v1/sessions/{id}/files", upload, methods=["POST"])]


async def _file_of(request: Request) -> bytes:
    """Return the bytes of the one file. Raises UnsupportedUpload, and BadFrame for none or several."""
    media_type = media_type_of(request)
    if media_type == FORM:
        files = (await read_form(request)).files
        if len(files) != 1:
            raise BadFrame("This form has to have one file.")
        return files[0]
    if not media_type.startswith("image/") or "content-encoding" in request.headers:
        raise UnsupportedUpload
    return b"".join([part async for part in request.stream()])
