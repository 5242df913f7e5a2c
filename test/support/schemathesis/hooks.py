"""What schemathesis has to know about Rollgate beyond openapi.json."""

import json
import re

import jsonschema_rs
import schemathesis
from schemathesis.specs.openapi.checks import (
    ensure_resource_availability,
    negative_data_rejection,
    use_after_free,
)

PREVIEW = re.compile(rb'\{"dry_run":true,')


@schemathesis.hook
def after_call(context, case, response):
    """
    Checks the preview of a dry run as the response that it previews.

    The document has it as `x-dry-run-response`: as a second 200, it would turn the type of every
    write of generated clients into a union (DRY_RUN_RESPONSE in src/http/openapi/operation.ts).
    """
    if response.status_code != 200 or not PREVIEW.match(response.content or b""):
        return
    preview = json.loads(response.content)
    document = case.operation.schema.raw_schema
    schema = {"$ref": "#/components/schemas/DryRun", "components": document["components"]}
    jsonschema_rs.Draft202012Validator(schema).validate(preview)
    response.status_code = preview["status"]
    body = preview["body"]
    response.content = b"" if body is None else json.dumps(body).encode()
    # Nothing was created, so that nothing has an address; and it is no stored response.
    if response.status_code == 204:
        response.headers.pop("content-type", None)
    elif "/scim/v2" in case.path:
        response.headers["content-type"] = ["application/scim+json; charset=utf-8"]


@schemathesis.check
def invalid_request_refused(ctx, response, case):
    """
    In place of negative_data_rejection, without SCIM: its requests are read leniently, because
    identity providers need it (unknown and missing attributes, null, empty parameters; decision
    0024). Nor CSV: a body of any type is sent as text, which is what the schema says.
    """
    if "/scim/v2" not in case.path and case.media_type != "text/csv":
        negative_data_rejection(ctx, response, case)


def is_dry_run(case):
    return case is not None and str((case.query or {}).get("dry_run")).lower() == "true"


@schemathesis.check
def deleted_resource_gone(ctx, response, case):
    """In place of use_after_free: a dry run of a DELETE deletes nothing."""
    related = ctx.internals.find_related(case_id=case.id)
    if not any(map(is_dry_run, related)):
        use_after_free(ctx, response, case)


@schemathesis.check
def created_resource_found(ctx, response, case):
    """In place of ensure_resource_availability: a dry run of a POST creates nothing."""
    if not is_dry_run(ctx.internals.find_parent(case_id=case.id)):
        ensure_resource_availability(ctx, response, case)
