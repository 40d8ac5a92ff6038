gcloud compute tpus execution-groups create --name=g --zone=europe-west4-a --tf-version=2.4.1 --machine-type=n1-standard-1 --accelerator-type=v3-8 --vm-only
