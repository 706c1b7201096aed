CREATE TABLE `audit` (
	`seq` integer PRIMARY KEY NOT NULL,
	`at_ms` integer NOT NULL,
	`actor` text NOT NULL,
	`audience` text NOT NULL,
	`action` text NOT NULL,
	`subject` text NOT NULL,
	`prev_hash` text NOT NULL,
	`hash` text NOT NULL
);
--> statement-breakpoint
CREATE TRIGGER `audit_is_never_changed` BEFORE UPDATE ON `audit` BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `audit_is_never_deleted` BEFORE DELETE ON `audit` BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
--> statement-breakpoint
CREATE TABLE `gate_result` (
	`version` text NOT NULL,
	`condition` text NOT NULL,
	`ok` integer NOT NULL,
	`details` text NOT NULL,
	`judged_by` text NOT NULL,
	`judged_at_ms` integer NOT NULL,
	PRIMARY KEY(`version`, `condition`),
	FOREIGN KEY (`version`) REFERENCES `harness_version`(`version`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `harness_canary` (
	`name` text NOT NULL,
	`merchant` text NOT NULL,
	`version` text NOT NULL,
	`share_permille` integer NOT NULL,
	`rooms` text NOT NULL,
	`salt` text NOT NULL,
	`set_by` text NOT NULL,
	`set_at_ms` integer NOT NULL,
	PRIMARY KEY(`name`, `merchant`),
	FOREIGN KEY (`version`) REFERENCES `harness_version`(`version`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `harness_freeze` (
	`name` text NOT NULL,
	`merchant` text NOT NULL,
	`reason` text NOT NULL,
	`frozen_by` text NOT NULL,
	`frozen_at_ms` integer NOT NULL,
	PRIMARY KEY(`name`, `merchant`)
);
--> statement-breakpoint
CREATE TABLE `harness_pin` (
	`name` text NOT NULL,
	`scope` text NOT NULL,
	`id` text NOT NULL,
	`version` text NOT NULL,
	`note` text NOT NULL,
	`pinned_by` text NOT NULL,
	`pinned_at_ms` integer NOT NULL,
	PRIMARY KEY(`name`, `scope`, `id`),
	FOREIGN KEY (`version`) REFERENCES `harness_version`(`version`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `__new_harness_channel` (
	`name` text NOT NULL,
	`channel` text NOT NULL,
	`merchant` text DEFAULT '*' NOT NULL,
	`version` text NOT NULL,
	`previous` text,
	`moved_by` text NOT NULL,
	`moved_at_ms` integer NOT NULL,
	PRIMARY KEY(`name`, `channel`, `merchant`),
	FOREIGN KEY (`version`) REFERENCES `harness_version`(`version`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`previous`) REFERENCES `harness_version`(`version`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
INSERT INTO `__new_harness_channel`("name", "channel", "version", "moved_by", "moved_at_ms") SELECT "name", "channel", "version", "moved_by", "moved_at_ms" FROM `harness_channel`;--> statement-breakpoint
DROP TABLE `harness_channel`;--> statement-breakpoint
ALTER TABLE `__new_harness_channel` RENAME TO `harness_channel`;--> statement-breakpoint
ALTER TABLE `harness_version` ADD `parent` text;--> statement-breakpoint
ALTER TABLE `harness_version` ADD `notes` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `harness_version` ADD `evidence` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE `harness_version` ADD `signature` text;--> statement-breakpoint
ALTER TABLE `harness_version` ADD `key_id` text;--> statement-breakpoint
ALTER TABLE `harness_version` ADD `revoked_at_ms` integer;