"""Uses the client that openapi-python-client generates: `python generated_client.py ADDRESS KEY`, beside `client`."""

import io
import sys
import time

from client import AuthenticatedClient
from client.api.deep_l import translate_v2_translate_post
from client.api.documents import documents_create, documents_file, documents_status
from client.api.texts import texts_alternatives, texts_prices, texts_translate, texts_usage
from client.models import (
    AlternativesRequest,
    DocumentsCreateBody,
    OwnApiError,
    PriceRequest,
    TextSchema,
    TranslateRequest,
    TranslateV2TranslatePostBody,
)
from client.types import File

address, key = sys.argv[1:]
client = AuthenticatedClient(base_url=address, token=key)

pinned = TextSchema(text="Open the file.", phrases=["Dokument"], nbest=2)
reply = texts_translate.sync(client=client, body=TranslateRequest(target="de", texts=["Close it.", pinned]))
assert len(reply.texts) == 2 and len(reply.texts[1].translations) == 2, reply
assert all("Dokument" in each.text for each in reply.texts[1].translations), reply

refused = texts_translate.sync(client=client, body=TranslateRequest(target="xx", texts=["Open the file."]))
assert isinstance(refused, OwnApiError) and refused.error.kind == "unsupported", refused
stranger = AuthenticatedClient(base_url=address, token="wrong")
assert texts_usage.sync(client=stranger).error.kind == "wrong_key"
assert texts_usage.sync(client=client).characters_today > 0

price = texts_prices.sync(client=client, body=PriceRequest(target="de", text="Open the file.", phrases=["Dokument"]))
assert price.total > 0 and "Dokument" in price.constrained, price
asked = AlternativesRequest(target="de", text="Open the file.", translation="Öffnen Sie die Datei.", offset=15)
assert texts_alternatives.sync(client=client, body=asked).alternatives

sent = File(payload=io.BytesIO(b"Open the file."), file_name="manual.txt", mime_type="text/plain")
document = documents_create.sync(client=client, body=DocumentsCreateBody(file=sent, target="de"))
assert not isinstance(document, OwnApiError), document
while document.state == "translating":
    time.sleep(0.05)
    document = documents_status.sync(document.id, client=client)
assert documents_file.sync_detailed(document.id, client=client).content.decode().startswith("Öffne")

deepl = AuthenticatedClient(base_url=address, token=key, prefix="DeepL-Auth-Key")
body = TranslateV2TranslatePostBody(text=["Open the file."], target_lang="DE")
answer = translate_v2_translate_post.sync_detailed(client=deepl, body=body)
assert answer.status_code == 200 and b"Datei" in answer.content, answer
