gcloud compute instances create <your-name> --zone ${ZONE:-us-central1-a} --machine-type $(cat type) --tags `tags` {a,b}
