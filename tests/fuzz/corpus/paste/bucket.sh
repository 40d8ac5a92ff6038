gsutil mb -p lab -c standard -l europe-west4 gs://bucket-1/
