ctpu up --project=p --zone=us-central1-b --tf-version=2.1 --name=n --tpu-size=v3-32 --machine-type n1-standard-8 --disk-size-gb=300
