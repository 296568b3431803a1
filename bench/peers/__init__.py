"""One module per system, run in that system's own environment.

    prepare URL                         make tables, once
    enqueue URL N                       insert N jobs as fast as its documents say; {"seconds": …}
    work URL STAGE CONCURRENCY          work until told to stop
    submit URL N EVERY_S                single jobs that carry the moment they were sent

URL is PostgreSQL's, or for systems on Redis that server's.
"""
