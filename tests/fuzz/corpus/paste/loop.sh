for i in 1 2 3; do gcloud compute tpus create t-$i --zone us-central1-f --accelerator-type v2-8; done
