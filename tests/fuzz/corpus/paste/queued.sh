gcloud compute tpus queued-resources create q --node-id n --zone us-central2-b --accelerator-type v4-32 --runtime-version tpu-vm-v4-base --valid-until-duration 6h --spot
