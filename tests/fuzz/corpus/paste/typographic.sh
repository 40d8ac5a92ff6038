gcloud compute tpus create t ––zone us-central1-b —accelerator-type “v2-8”
