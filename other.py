import os, time
while not os.path.exists("both") or os.stat("both").st_size < 500: time.sleep(0.01)
other = open("both", "r+b", buffering=0)
open("../opened", "w").close()
while not os.path.exists("../grown"): time.sleep(0.01)
assert other.read(500) == b"first" * 100
assert len(other.read(300000)) == 200000
other.seek(1000)
other.write(b"other" * 20000)
open("../done", "w").close()
