$ export ZONE=us-central1-f
$ gcloud alpha compute tpus tpu-vm create "my tpu" \
    --zone $ZONE --accelerator-type v2-8 \
    --version tpu-vm-tf-2.8.0 # comment
