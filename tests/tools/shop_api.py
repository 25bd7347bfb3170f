"""The API of a made shop: its OpenAPI document, and a server that answers as it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.servers.local_http import Reply, Request

KEY = "shop-key-of-the-environment-4711"
ORDERS = [
    {"id": number, "customer": f"C-{number % 7}", "total": number * 1.5, "status": "open"}
    for number in range(1, 41)
]

DOCUMENT: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Shop", "version": "1"},
    "servers": [{"url": "https://shop.example/api"}],
    "paths": {
        "/orders": {
            "get": {
                "operationId": "list orders",
                "summary": "List the orders of the shop",
                "parameters": [
                    {"$ref": "#/components/parameters/Status"},
                    {
                        "name": "ids",
                        "in": "query",
                        "explode": False,
                        "schema": {"type": "array", "items": {"type": "integer"}},
                    },
                    {"name": "X-Api-Key", "in": "header", "schema": {"type": "string"}},
                    {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
                ],
                "responses": {
                    "200": {
                        "description": "The orders",
                        "content": {
                            "application/json": {
                                "schema": {
                                    "type": "array",
                                    "items": {"$ref": "#/components/schemas/Order"},
                                }
                            }
                        },
                    }
                },
            },
            "post": {
                "operationId": "createOrder",
                "description": "Make an order for a customer.",
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Order"}}
                    },
                },
                "responses": {"201": {"description": "It is made"}},
            },
        },
        "/orders/{orderId}": {
            "parameters": [
                {
                    "name": "orderId",
                    "in": "path",
                    "required": True,
                    "description": "the number of the order",
                    "schema": {"type": "integer", "minimum": 1},
                }
            ],
            "get": {"operationId": "getOrder", "summary": "One order by its number"},
            "delete": {"summary": "Delete an order"},
        },
        "/customers/{name}/notes": {
            "put": {
                "operationId": "setNote",
                "summary": "Write a note on a customer",
                "requestBody": {
                    "content": {"application/json": {"schema": {"type": "string"}}},
                },
            }
        },
        "/picture": {"get": {"operationId": "getPicture", "summary": "A picture of the shop"}},
        "/elsewhere": {
            "get": {
                "operationId": "elsewhere",
                "servers": [{"url": "https://other.example"}],
            }
        },
    },
    "components": {
        "parameters": {
            "Status": {
                "name": "status",
                "in": "query",
                "description": "only orders in this state",
                "schema": {"type": "string", "enum": ["open", "paid", "sent"], "nullable": True},
            }
        },
        "schemas": {
            "Order": {
                "type": "object",
                "required": ["id", "customer", "lines"],
                "properties": {
                    "id": {"type": "integer", "readOnly": True},
                    "customer": {"type": "string", "description": "the number of the customer"},
                    "lines": {"type": "array", "items": {"$ref": "#/components/schemas/Line"}},
                    "parent": {"$ref": "#/components/schemas/Order"},
                },
            },
            "Line": {
                "allOf": [
                    {"type": "object", "properties": {"article": {"type": "string"}}},
                    {
                        "required": ["article"],
                        "properties": {"amount": {"type": "integer", "example": 3}},
                    },
                ]
            },
        },
    },
}
PICTURE = b"\x89PNG\r\n\x1a\n" + b"\x00" * 100


def write_document(folder: Path, **more: Any) -> Path:
    """The document in a file of the folder, with some of its keys replaced."""
    path = folder / "shop.json"
    path.write_text(json.dumps({**DOCUMENT, **more}))
    return path


def shop(request: Request) -> Reply:
    """What the server of the shop answers."""
    if request.headers.get("x-api-key") != KEY:
        return Reply(json={"error": "no key", "sent": request.headers.get("x-api-key")}, status=401)
    if request.path == "/api/orders" and request.method == "POST":
        return Reply(json={"made": json.loads(request.body)}, status=201)
    if request.path == "/api/orders":
        status = request.query.get("status")
        return Reply(json=[each for each in ORDERS if status in (None, each["status"])])
    if request.path == "/api/picture":
        return Reply(body=PICTURE, headers={"Content-Type": "image/png"})
    number = request.path.rpartition("/")[2]
    found = [each for each in ORDERS if str(each["id"]) == number]
    if not found:
        return Reply(json={"error": f"there is no order {number}"}, status=404)
    return Reply(json=found[0])
