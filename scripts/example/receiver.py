"""Receives the webhooks of one endpoint, after https://www.standardwebhooks.com. Python's standard library is enough.

    WEBHOOK_SECRET=whsec_... python3 receiver.py 8099

Prints one line of JSON for each call. `is_gap` says that an earlier call is missing: `GET /events/feed?after=` with the
cursor `expected` brings its events. `mirror.ts` reads the feed itself.
"""
import base64
import hashlib
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
TOLERANCE_S = 300
# A real receiver saves message ids, cursor and the data that the events change in one transaction.
seen = set()
last_cursor = None


def is_signed(headers, body):
    message_id, timestamp = headers["webhook-id"], headers["webhook-timestamp"]
    if not message_id or abs(time.time() - int(timestamp)) > TOLERANCE_S:
        return False
    content = f"{message_id}.{timestamp}.".encode() + body
    expected = base64.b64encode(hmac.new(KEY, content, hashlib.sha256).digest()).decode()
    signatures = headers["webhook-signature"].split(" ")
    return any(hmac.compare_digest(f"v1,{expected}", signature) for signature in signatures)


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        global last_cursor
        body = self.rfile.read(int(self.headers["content-length"]))
        if not is_signed(self.headers, body):
            return self.answer(401)
        message_id, message = self.headers["webhook-id"], json.loads(body)
        data = message["data"]
        is_repeated = message_id in seen
        told = {"id": message_id, "is_repeated": is_repeated, "cursor": data["cursor"]}
        if message["type"] == "events" and not is_repeated:
            told["is_gap"] = last_cursor not in (None, data["previous_cursor"])
            told["expected"], last_cursor = last_cursor, data["cursor"]
            told["events"] = [event["id"] for event in data["events"]]
            seen.add(message_id)
        print(json.dumps(told), flush=True)
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver)
    print(json.dumps({"port": server.server_port}), flush=True)
    server.serve_forever()
