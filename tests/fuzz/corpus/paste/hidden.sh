echo a b | xargs -n1 gcloud compute disks create; bash -c 'gcloud compute disks create x'
