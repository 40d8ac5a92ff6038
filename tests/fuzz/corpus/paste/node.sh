gcloud compute tpus create t --zone us-central1-b --network=default --range=10.240.1.0 --version=1.8 --accelerator-type='v2-8'
