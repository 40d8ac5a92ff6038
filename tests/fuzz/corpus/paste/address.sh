gcloud compute addresses create ip --region=us-central1
