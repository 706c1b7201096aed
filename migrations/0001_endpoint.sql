CREATE TABLE `endpoint` (
	`name` text PRIMARY KEY NOT NULL,
	`config` text NOT NULL,
	`capabilities` text,
	`updated_by` text NOT NULL,
	`updated_at_ms` integer NOT NULL,
	`revision` integer NOT NULL
);
