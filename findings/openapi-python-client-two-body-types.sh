#!/usr/bin/env bash
# openapi-python-client 0.29.1: a client for a body that may be JSON or a form cannot be imported.
#
# Many APIs take the fields of a request as JSON or as a form, and describe both types of the body. The generator ends
# with status 0 and without a warning, but the module of such an operation uses the name `Unset`, which it does not
# import, although the body is required. With one type, the same description works.
#
# Output seen:
#   one type: imported
#   two types: NameError: name 'Unset' is not defined. Did you mean: 'UNSET'?
#
# Exit status 1 if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet openapi-python-client==0.29.1
cd "$folder"
echo "post_hooks: []" >settings.yaml  # no formatting of the client
"$folder/venv/bin/python" - <<'PYTHON'
import json
import subprocess
import sys

found = []
for name, types in (("one", ["application/json"]), ("two", ["application/json", "application/x-www-form-urlencoded"])):
    schema = {"type": "object", "required": ["item"], "properties": {"item": {"type": "string"}}}
    content = {each: {"schema": {"$ref": "#/components/schemas/Order"}} for each in types}
    order = {
        "operationId": "order",
        "tags": ["shop"],
        "requestBody": {"required": True, "content": content},
        "responses": {"204": {"description": "Done."}},
    }
    api = {
        "openapi": "3.1.0",
        "info": {"title": "Shop", "version": "1"},
        "paths": {"/orders": {"post": order}},
        "components": {"schemas": {"Order": schema}},
    }
    with open("api.json", "w") as file:
        json.dump(api, file)
    flags = ["--path", "api.json", "--output-path", name, "--meta", "none", "--config", "settings.yaml"]
    tool = [sys.executable, "-m", "openapi_python_client", "generate", *flags]
    subprocess.run(tool, check=True, capture_output=True)
    run = [sys.executable, "-c", f"import {name}.api.shop.order"]
    errors = subprocess.run(run, capture_output=True, text=True).stderr.strip().splitlines()
    found.append(errors[-1] if errors else "imported")
    print(f"{name} type{'s' if name == 'two' else ''}: {found[-1]}")
sys.exit(not (found[0] == "imported" and found[1].startswith("NameError: name 'Unset'")))
PYTHON
