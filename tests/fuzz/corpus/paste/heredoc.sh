cat <<EOF
gcloud compute disks create x
EOF
gcloud config set compute/zone us-west1-b && gcloud compute disks create "d" 'e' f\ g
