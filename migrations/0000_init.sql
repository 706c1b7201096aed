CREATE TABLE `harness_channel` (
	`name` text NOT NULL,
	`channel` text NOT NULL,
	`version` text NOT NULL,
	`moved_by` text NOT NULL,
	`moved_at_ms` integer NOT NULL,
	PRIMARY KEY(`name`, `channel`),
	FOREIGN KEY (`version`) REFERENCES `harness_version`(`version`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `harness_version` (
	`version` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`bundle` text NOT NULL,
	`bytes` integer NOT NULL,
	`created_by` text NOT NULL,
	`created_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `harness_version_by_name` ON `harness_version` (`name`,`created_at_ms`,`version`);--> statement-breakpoint
CREATE TABLE `room` (
	`id` text PRIMARY KEY NOT NULL,
	`title` text NOT NULL,
	`merchant_id` text NOT NULL,
	`harness_name` text NOT NULL,
	`harness_channel` text,
	`updated_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `room_by_harness` ON `room` (`harness_name`,`harness_channel`);