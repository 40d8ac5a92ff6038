f() { gcloud compute disks create $1 --zone us-central1-a; }
f a && f b || exit 1
