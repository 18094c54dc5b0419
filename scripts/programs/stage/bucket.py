#!/usr/bin/env python3
"""A server with one bucket, for measurements: it takes little of the processor, as one elsewhere would.

Usage: bucket.py LOG
It prints its port. It forgets the bytes of data, and looks at no signature. Each piece of a body is a line
of LOG: when it came, by the monotonic clock, and how many bytes have come by then.
"""

import http.server
import re
import socket
import sys
import threading
import time
import urllib.parse
from xml.sax.saxutils import escape

PIECE = 1 << 20
KEPT = 2 << 20  # what is larger is data, which nobody reads


class Received:
    """Counts the bytes of all bodies."""

    def __init__(self, path):
        self.log = open(path, "w", buffering=1)
        self.lock = threading.Lock()
        self.bytes = 0

    def add(self, count):
        with self.lock:
            self.bytes += count
            self.log.write("%.6f %d\n" % (time.monotonic(), self.bytes))


class Requests(http.server.BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    objects = {}
    lock = threading.Lock()
    received = None

    def setup(self):
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.piece = memoryview(bytearray(PIECE))

    def log_message(self, *_):
        pass

    def parse(self):
        url = urllib.parse.urlsplit(self.path)
        self.query = dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True))
        return (urllib.parse.unquote(url.path).lstrip("/").split("/", 1) + [""])[1]

    def take(self, keep):
        left = int(self.headers.get("Content-Length", 0))
        kept = []
        while left:
            count = self.rfile.readinto1(self.piece[:min(left, PIECE)])
            if not count:
                raise ConnectionError("a body broke off")
            self.received.add(count)
            left -= count
            if keep:
                kept.append(bytes(self.piece[:count]))
        return b"".join(kept)

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in dict(headers, ETag='"any"', Content_Length=str(len(body))).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def say(self, status, text):
        self.answer(status, text.encode(), Content_Type="application/xml")

    def refuse(self, status, code):
        self.say(status, "<Error><Code>%s</Code></Error>" % code)

    def do_PUT(self):
        key = self.parse()
        keep = "partNumber" not in self.query and int(self.headers.get("Content-Length", 0)) <= KEPT
        content = self.take(keep)
        with self.lock:
            if self.headers.get("If-None-Match") and key in self.objects:
                return self.refuse(412, "PreconditionFailed")
            if "partNumber" not in self.query:
                self.objects[key] = content
        return self.answer(200)

    def do_POST(self):
        key = self.parse()
        self.take(False)
        if "uploads" in self.query:
            self.say(200, "<InitiateMultipartUploadResult><UploadId>any</UploadId></InitiateMultipartUploadResult>")
            return
        self.objects[key] = b""
        self.say(200, "<CompleteMultipartUploadResult><ETag>any</ETag></CompleteMultipartUploadResult>")

    def do_GET(self):
        key = self.parse()
        if not key:
            return self.list()
        if key not in self.objects:
            return self.refuse(404, "NoSuchKey")
        content = self.objects[key]
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if not wanted:
            return self.answer(200, content)
        begin = int(wanted.group(1))
        if begin >= len(content):
            return self.refuse(416, "InvalidRange")
        part = content[begin:int(wanted.group(2)) + 1]
        return self.answer(206, part, Content_Range="bytes %d-%d/%d" % (begin, begin + len(part) - 1, len(content)))

    do_HEAD = do_GET

    def list(self):
        prefix, delimiter = self.query.get("prefix", ""), self.query.get("delimiter", "")
        keys, folders = [], set()
        for key in sorted(key for key in list(self.objects) if key.startswith(prefix)):
            end = key.find(delimiter, len(prefix)) if delimiter else -1
            if end < 0:
                keys.append("<Contents><Key>%s</Key><Size>%d</Size></Contents>" % (escape(key), len(self.objects[key])))
            else:
                folders.add("<CommonPrefixes><Prefix>%s</Prefix></CommonPrefixes>" % escape(key[:end + 1]))
        self.say(200, "<ListBucketResult><IsTruncated>false</IsTruncated>%s%s</ListBucketResult>"
                 % ("".join(keys), "".join(sorted(folders))))

    def do_DELETE(self):
        self.objects.pop(self.parse(), None)
        self.answer(204)


def main():
    Requests.received = Received(sys.argv[1])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Requests)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    server.serve_forever()


main()
