"""What runs the shards of a crawl on Kubernetes."""

from __future__ import annotations

import json

from dowse.model.database_url import DATABASE, without_password

__all__ = ["manifest"]

_TEMPLATE = """\
# Before, make a secret named dowse-{name}, whose key "database" is the whole URL: postgresql://USER:PASSWORD@HOST/NAME
# Begin the crawl from anywhere that reaches the database:
#   dowse cluster start TOPIC --shards {shards} --ground {ground} --name {name} --on nowhere --out {name}
# Watch and stop it: dowse cluster status {ground} --name {name}; dowse cluster stop {ground} --name {name}
apiVersion: v1
kind: Service
metadata: {{name: dowse-{name}}}
spec: {{clusterIP: None, selector: {{app: dowse-{name}}}, ports: [{{name: none, port: 80}}]}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: dowse-{name}}}
spec:
  serviceName: dowse-{name}
  replicas: {shards}
  podManagementPolicy: Parallel
  selector: {{matchLabels: {{app: dowse-{name}}}}}
  template:
    metadata: {{labels: {{app: dowse-{name}}}}}
    spec:
      terminationGracePeriodSeconds: 60
      securityContext: {{runAsNonRoot: true, runAsUser: 10001, fsGroup: 10001}}
      containers:
        - name: shard
          image: {image}
          command: ["sh", "-c"]
          # The number of a pod is that of its shard. When the crawl is over, a pod sleeps: delete the StatefulSet.
          args:
            - >-
              dowse cluster shard "${{HOSTNAME##*-}}" /crawl --ground {quoted} --name {name}
              && exec sleep infinity
          env:
            - {{name: {variable}, valueFrom: {{secretKeyRef: {{name: dowse-{name}, key: database}}}}}}
          securityContext: {{allowPrivilegeEscalation: false, capabilities: {{drop: [ALL]}}}}
          resources: {{requests: {{cpu: "2", memory: 4Gi}}}}
          volumeMounts: [{{name: crawl, mountPath: /crawl}}]
  volumeClaimTemplates:
    - metadata: {{name: crawl}}
      spec: {{accessModes: [ReadWriteOnce], resources: {{requests: {{storage: {disk}}}}}}}"""


def manifest(ground: str, name: str, shards: int, image: str, disk: str) -> str:
    """YAML: a pod for each shard, with a disk that is its own wherever it runs. The password is in a secret."""
    shown = without_password(ground)
    return _TEMPLATE.format(
        name=name, shards=shards, image=json.dumps(image), disk=disk, ground=shown, quoted=f"'{shown}'",
        variable=DATABASE,
    )  # fmt: skip
