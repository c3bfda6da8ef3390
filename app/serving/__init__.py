"""The HTTP API for other programs: keys and limits, services, and a module for each dialect.

A dialect only converts requests, answers and errors.

gateway            the ASGI application in front of the page: checks, dialects, errors
keys, admission    who may ask, how fast, and how much
api_limits         all limits
translations       the translation of texts by the app's models
constrained_texts  texts, settings and answers, the same for all dialects
api_documents      documents of programs, as sessions in the log
api_glossaries     glossaries of programs
api_jobs           translations in the background, which are kept by stored_jobs
markup             texts in XML and HTML
dialects           code that all dialects share: reading requests, files as replies
api_schemas        the JSON of texts, constraints and answers
own_api            Pinpoint's dialect, with document_api, session_api and assignment_api
deepl_api          DeepL's, with deepl_documents
libretranslate_api, apertium_api, opus_cat_api, mtuoc_api
                   the other dialects
"""
