gcloud compute instances bulk create --name-pattern='w-#' --count=5 --region=us-central1 --machine-type=e2-custom-4-8192
