CREATE TABLE `canary_limits` (
	`name` text PRIMARY KEY NOT NULL,
	`limits` text NOT NULL,
	`set_by` text NOT NULL,
	`set_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `harness_backup` (
	`name` text PRIMARY KEY NOT NULL,
	`version` text NOT NULL,
	`set_by` text NOT NULL,
	`set_at_ms` integer NOT NULL,
	FOREIGN KEY (`version`) REFERENCES `harness_version`(`version`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `harness_plan` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`channel` text NOT NULL,
	`merchant` text NOT NULL,
	`expected` text,
	`version` text NOT NULL,
	`due_at_ms` integer,
	`note` text NOT NULL,
	`planned_by` text NOT NULL,
	`planned_at_ms` integer NOT NULL,
	`approved_by` text,
	`status` text NOT NULL,
	`reason` text,
	FOREIGN KEY (`version`) REFERENCES `harness_version`(`version`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `harness_plan_by_name` ON `harness_plan` (`name`,`status`,`planned_at_ms`);