gcloud compute disks create d --size 1TB --type pd-standard --replica-zones=us-central1-a,us-central1-b --region us-central1
