"""What schemathesis has to know about Rollgate beyond openapi.json."""

import json
import os
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


# Why a request that fits the schema may be refused. Everything else is a failure.
REASONS = [
    # A filter has a grammar, which JSON Schema cannot express (RFC 7644, 3.4.2.2).
    (400, "INVALID_FILTER", re.compile("")),
    # Text is without control and invisible characters (decision 0023): a pattern on every string
    # would be a large part of the document.
    (400, "INVALID_REQUEST", re.compile("control character|must not contain|must be Unicode")),
    # The document leaves out boolean constants, which generators of clients cannot compile
    # (src/http/openapi/schema-catalogue.ts).
    (400, "INVALID_REQUEST", re.compile("must be one of true")),
    # A cursor comes from the previous page; fields that exclude each other are described in words.
    (400, "INVALID_REQUEST", re.compile("unchanged|is required, and not both|or room is required|must contain either")),
    # A cursor comes from the previous page, and replaces `startIndex` (RFC 9865).
    (400, "INVALID_REQUEST", re.compile("The cursor (is not valid|belongs)|cursor must not be combined")),
    # A member has to exist, and so has an operator's tenant.
    (400, "INVALID_REQUEST", re.compile("no user has the id|no tenant has")),
    # One field compared with another one or with the clock, and a phone number or country that does
    # not exist.
    (400, "INVALID_REQUEST", re.compile("must be after|within the next|must be a phone number|must be an ISO 3166-1")),
    # The headers of a webhook are not sent to another server than the stored one.
    (400, "INVALID_REQUEST", re.compile("where the url leads to another server")),
    # `add` needs a value: a condition in the schema would be a union in every generated client. The
    # role test checks its user like a SCIM body.
    (400, "INVALID_REQUEST", re.compile("Missing required attribute 'value'|userName is required")),
    # Paths of SCIM have a grammar, too, and their values are of the type of the attribute.
    (400, "INVALID_REQUEST", re.compile('"scimType": "(invalidPath|noTarget|mutability)"|value must be an object of attributes')),
    # `sortBy` names an attribute in any case, with or without its schema: not a list for an enum.
    (400, "INVALID_REQUEST", re.compile("sortBy must be one of")),
    # `uniqueItems` compares whole items; here one field must differ.
    (400, "INVALID_REQUEST", re.compile("duplicates |is given twice")),
    # A precondition compares with what is stored.
    (412, "PRECONDITION_FAILED", re.compile("")),
]


@schemathesis.check
def invalid_request_refused(ctx, response, case):
    """
    In place of negative_data_rejection, without SCIM: its requests are read leniently, because
    identity providers need it (unknown and missing attributes, null, empty parameters; decision
    0024).
    """
    if "/scim/v2" not in case.path:
        negative_data_rejection(ctx, response, case)


@schemathesis.check
def valid_request_accepted(ctx, response, case):
    """In place of positive_data_acceptance, which knows statuses, but no reasons."""
    # Which requests are generated within the time depends on the machine, and a new kind of refusal
    # has to be read by a person: `npm run schemathesis` reports it, `npm run test:system` does not.
    if os.environ.get("ROLLGATE_FUZZ_REFUSALS") != "reported":
        return
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if response.status_code not in (400, 405, 406, 412, 413, 415, 422):
        return
    body = json.loads(response.content)
    text = json.dumps(body, ensure_ascii=False)
    for status, code, reason in REASONS:
        if (status, code) == (response.status_code, body.get("error")) and reason.search(text):
            return
    raise AssertionError(f"A request that fits the schema was refused: {text}")


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
