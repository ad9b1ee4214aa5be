"""What all rooms speak: plain values, and the ports behind which strategies, judges, transports and stores stand.

* what is asked for: ``topic``, from a topic file (``topicfile``, ``topic_keys``, ``topic_fields``, ``toml_lines``), as
  JSON (``topic_json``) and as a template (``topic_template``); ``budget``
* what comes: ``url``, ``http`` (with the port ``Transport``), ``bodies``, ``page``, ``words``, ``facts``, ``forecast``
* what people looked at: ``traces``
* what is kept: ``records`` (with the port ``Records``), declared by ``columns``, read again by ``revive``
* ports: ``strategy``, ``judge``, ``clock``; ``plugins`` finds what packages add, ``plugin_ports`` are for later
* for all of them: ``errors``, ``files``, ``private_files``, ``arrays`` (in files), ``extensions`` (of file names),
  ``shown`` (text made fit for a terminal), ``network_ports``, ``proxy_login``

It imports nothing else of Dowse but the compiled core.
"""
