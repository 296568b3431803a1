from ingather import Batch, Ingather, Item

app = Ingather()


@app.handler("shout")
async def shout(item: Item) -> str:
    return str(item.payload).upper()


@app.gather("shout")
async def join(batch: Batch) -> str:
    return " ".join([text async for text in batch.results()])


batch = app.scatter("shout", ["make", "hay", "while", "the", "sun", "shines"])
app.worker().drain()
print(batch.result())
