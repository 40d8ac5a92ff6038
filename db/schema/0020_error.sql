-- Google's words on why a request for TPUs was not granted, code first; NULL: none
ALTER TABLE resource ADD COLUMN error TEXT;
ALTER TABLE resource_trait ADD COLUMN error TEXT;
