-- A machine of a managed instance group of TPUs that is not one slice.
ALTER TABLE resource ADD COLUMN alone TEXT; -- why it is a TPU of its own; NULL: no reason is needed
