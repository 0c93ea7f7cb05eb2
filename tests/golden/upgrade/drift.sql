PRAGMA application_id = 1752458097;
PRAGMA user_version = 3;
BEGIN TRANSACTION;
CREATE TABLE account (
        id INTEGER PRIMARY KEY, pool INTEGER NOT NULL REFERENCES pool, name TEXT NOT NULL, dimension TEXT NOT NULL,
        UNIQUE (pool, name, dimension));
CREATE TABLE kept (
        id INTEGER PRIMARY KEY, pool INTEGER REFERENCES pool, kind TEXT NOT NULL, name TEXT NOT NULL,
        text TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER);
INSERT INTO "kept" VALUES(1,1,'configured','<none>','dynamic 0 accept_surplus',1795605129,NULL);
INSERT INTO "kept" VALUES(2,1,'configured','chem','static 2',1795605129,1795605135);
INSERT INTO "kept" VALUES(3,1,'configured','physics','static 4',1795605129,1795605135);
INSERT INTO "kept" VALUES(4,1,'declared','chem','static 2',1795605129,1795605135);
INSERT INTO "kept" VALUES(5,1,'declared','physics','static 4',1795605129,1795605135);
INSERT INTO "kept" VALUES(6,1,'setting','GROUP_QUOTA_MAX_ALLOCATION_ROUNDS','3',1795605129,NULL);
INSERT INTO "kept" VALUES(7,1,'setting','GROUP_QUOTA_ROUND_ROBIN_RATE','1.0e100',1795605129,NULL);
INSERT INTO "kept" VALUES(8,1,'setting','GROUP_SORT_EXPR','ifThenElse(AccountingGroup=?="<none>",3.4e+38,ifThenElse(GroupQuota>0,GroupResourcesInUse/GroupQuota,3.3e+38))',1795605129,NULL);
INSERT INTO "kept" VALUES(9,1,'setting','NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION','true',1795605129,NULL);
INSERT INTO "kept" VALUES(10,1,'setting','NEGOTIATOR_CONSIDER_PREEMPTION','true',1795605129,NULL);
INSERT INTO "kept" VALUES(11,1,'setting','NEGOTIATOR_USE_SLOT_WEIGHTS','true',1795605129,NULL);
INSERT INTO "kept" VALUES(12,1,'setting','NEGOTIATOR_USE_WEIGHTED_DEMAND','true',1795605129,NULL);
INSERT INTO "kept" VALUES(13,1,'setting','SLOT_WEIGHT','Cpus',1795605129,NULL);
INSERT INTO "kept" VALUES(14,1,'weight','Cpus','1 slots, weight 8',1795605129,NULL);
INSERT INTO "kept" VALUES(15,1,'configured','chem','static 2 accept_surplus',1795605135,NULL);
INSERT INTO "kept" VALUES(16,1,'configured','physics','static 3 accept_surplus',1795605135,NULL);
INSERT INTO "kept" VALUES(17,1,'declared','chem','static 2 accept_surplus',1795605135,NULL);
INSERT INTO "kept" VALUES(18,1,'declared','physics','static 4 accept_surplus',1795605135,NULL);
CREATE TABLE ledger (
        pool INTEGER NOT NULL REFERENCES pool, time INTEGER NOT NULL, account INTEGER NOT NULL,
        span INTEGER NOT NULL, min INTEGER NOT NULL, runtime INTEGER NOT NULL, used INTEGER NOT NULL,
        lent INTEGER NOT NULL, borrowed INTEGER NOT NULL, unused INTEGER NOT NULL,
        PRIMARY KEY (pool, time, account)) WITHOUT ROWID;
CREATE TABLE pool (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, first INTEGER NOT NULL, last INTEGER NOT NULL,
        hours_to INTEGER NOT NULL DEFAULT 0, days_to INTEGER NOT NULL DEFAULT 0,
        negotiator TEXT NOT NULL DEFAULT '', unit TEXT NOT NULL DEFAULT 'slot weight');
INSERT INTO "pool" VALUES(1,'node.test',1795605129,1795605135,0,0,'node.test','slot weight');
CREATE TABLE pool_group (
        id INTEGER PRIMARY KEY, pool INTEGER NOT NULL REFERENCES pool, name TEXT NOT NULL, UNIQUE (pool, name));
INSERT INTO "pool_group" VALUES(1,1,'<none>');
INSERT INTO "pool_group" VALUES(2,1,'chem');
INSERT INTO "pool_group" VALUES(3,1,'physics');
CREATE TABLE sample (
        pool INTEGER NOT NULL REFERENCES pool, time INTEGER NOT NULL, pool_group INTEGER NOT NULL,
        span INTEGER NOT NULL, looks INTEGER NOT NULL, effective INTEGER, computed INTEGER,
        usage INTEGER NOT NULL, usage_most INTEGER NOT NULL, idle INTEGER NOT NULL, requested INTEGER NOT NULL,
        allocated INTEGER NOT NULL, starved INTEGER NOT NULL, over INTEGER NOT NULL, lending INTEGER NOT NULL,
        PRIMARY KEY (pool, time, pool_group)) WITHOUT ROWID;
INSERT INTO "sample" VALUES(1,1795605129,1,0,1,2000,2000,0,0,0,0,0,0,0,0);
INSERT INTO "sample" VALUES(1,1795605129,2,0,1,2000,2000,0,0,0,0,0,0,0,0);
INSERT INTO "sample" VALUES(1,1795605129,3,0,1,4000,4000,0,0,0,0,0,0,0,0);
INSERT INTO "sample" VALUES(1,1795605135,1,6,1,3000,3000,0,0,0,0,0,0,0,0);
INSERT INTO "sample" VALUES(1,1795605135,2,6,1,2000,2000,0,0,0,0,0,0,0,0);
INSERT INTO "sample" VALUES(1,1795605135,3,6,1,3000,3000,0,0,0,0,0,0,0,0);
CREATE UNIQUE INDEX kept_open ON kept (pool, kind, name, text) WHERE until IS NULL;
COMMIT;
