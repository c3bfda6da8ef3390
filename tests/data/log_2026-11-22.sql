-- Made by Pinpoint as it was on 2026-11-22; see tests/data/README.md.
PRAGMA application_id=1346981456;
PRAGMA user_version=0;
BEGIN TRANSACTION;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" VALUES(1,'pinpoint','m0001_session_document_segment_event','2026-11-29 19:47:50.252383+00:00');
INSERT INTO "_sqlite_migrations" VALUES(2,'pinpoint','m0002_glossary_and_tombstone','2026-11-29 19:47:50.252712+00:00');
INSERT INTO "_sqlite_migrations" VALUES(3,'pinpoint','m0003_document_format_and_given_translations','2026-11-29 19:47:50.253119+00:00');
INSERT INTO "_sqlite_migrations" VALUES(4,'pinpoint','m0004_document_term','2026-11-29 19:47:50.253239+00:00');
INSERT INTO "_sqlite_migrations" VALUES(5,'pinpoint','m0005_term_fields','2026-11-29 19:47:50.253388+00:00');
INSERT INTO "_sqlite_migrations" VALUES(6,'pinpoint','m0006_memory_entry','2026-11-29 19:47:50.253494+00:00');
INSERT INTO "_sqlite_migrations" VALUES(7,'pinpoint','m0007_several_glossaries','2026-11-29 19:47:50.259062+00:00');
CREATE TABLE document (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            sha256 TEXT NOT NULL,
            encoding TEXT NOT NULL,
            mark BLOB NOT NULL,
            data BLOB NOT NULL, format TEXT NOT NULL DEFAULT 'txt');
INSERT INTO "document" VALUES(1,'manual.txt','a59b5a26ea5d8329e6ebaa4ad58deee4f9b11f29806d93773e35d1aaa8f4192f','utf-8',X'',X'4F70656E207468652073657474696E67732E0A54686520726F75746572207361766573207468652066696C652E0A596F752063616E206368616E6765207468652070617373776F7264206C617465722E0A','txt');
CREATE TABLE document_term (
            session_id INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
            source TEXT NOT NULL,
            target TEXT NOT NULL,
            UNIQUE (session_id, source, target));
CREATE TABLE event (
            session_id INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
            seq INTEGER NOT NULL,
            wall_ms INTEGER NOT NULL,
            monotonic_ms INTEGER NOT NULL,
            type TEXT NOT NULL,
            segment_index INTEGER,
            segment_version INTEGER,
            payload TEXT NOT NULL,
            previous_hash TEXT NOT NULL,
            hash TEXT NOT NULL,
            PRIMARY KEY (session_id, seq));
INSERT INTO "event" VALUES(1,1,1795981670748,15778161,'open',NULL,NULL,'{"document":"manual.txt","sha256":"a59b5a26ea5d8329e6ebaa4ad58deee4f9b11f29806d93773e35d1aaa8f4192f","num_segments":3,"num_translated":0,"direction":"en-de","pseudonym":"","versions":{"pinpoint":"0.2.0","gradio":"6.31.0","torch":"2.13.0+cpu","python":"3.11.7"},"options":{"beam":10,"nbest":5,"score":"normalised","length_reward":null,"length_ratio":null,"stopping":"optimal","finished":"leave","pruning_threshold":20.0,"pruning":"full_list","bank_threshold":null,"max_children":null,"max_length_factor":1.5,"max_length_offset":10,"places_per_bank":2,"crowding":"topmost"}}','0000000000000000000000000000000000000000000000000000000000000000','81b57662ee4775a9de9bd3d70356aced92e2c25c1113bfaf85fbbd64cf309fd6');
INSERT INTO "event" VALUES(1,2,1795981670832,15778245,'decode_request',0,0,'{"number":1,"priority":"document","constraints":[],"phrases":[],"avoid":[],"prefix":"","locked":[],"formality":null,"domain":null,"options":{"beam":10,"nbest":5,"score":"normalised","length_reward":null,"length_ratio":null,"stopping":"optimal","finished":"leave","pruning_threshold":20.0,"pruning":"full_list","bank_threshold":null,"max_children":null,"max_length_factor":1.5,"max_length_offset":10,"places_per_bank":2,"crowding":"topmost"},"model":"","num_threads":0,"device":"cpu"}','81b57662ee4775a9de9bd3d70356aced92e2c25c1113bfaf85fbbd64cf309fd6','bcf4120b6cd2ff8c3f7ced12bc09aae3a4bcfa2aba577fdc9c6b53ba15eacf98');
INSERT INTO "event" VALUES(1,3,1795981670855,15778268,'decode_request',1,0,'{"number":1,"priority":"document","constraints":[],"phrases":[],"avoid":[],"prefix":"","locked":[],"formality":null,"domain":null,"options":{"beam":10,"nbest":5,"score":"normalised","length_reward":null,"length_ratio":null,"stopping":"optimal","finished":"leave","pruning_threshold":20.0,"pruning":"full_list","bank_threshold":null,"max_children":null,"max_length_factor":1.5,"max_length_offset":10,"places_per_bank":2,"crowding":"topmost"},"model":"","num_threads":0,"device":"cpu"}','bcf4120b6cd2ff8c3f7ced12bc09aae3a4bcfa2aba577fdc9c6b53ba15eacf98','bba96a05666ed0729830763cd6172e2645a1eb88a52097393637af5fcb14fc4f');
INSERT INTO "event" VALUES(1,4,1795981670863,15778277,'decode_request',2,0,'{"number":1,"priority":"document","constraints":[],"phrases":[],"avoid":[],"prefix":"","locked":[],"formality":null,"domain":null,"options":{"beam":10,"nbest":5,"score":"normalised","length_reward":null,"length_ratio":null,"stopping":"optimal","finished":"leave","pruning_threshold":20.0,"pruning":"full_list","bank_threshold":null,"max_children":null,"max_length_factor":1.5,"max_length_offset":10,"places_per_bank":2,"crowding":"topmost"},"model":"","num_threads":0,"device":"cpu"}','bba96a05666ed0729830763cd6172e2645a1eb88a52097393637af5fcb14fc4f','c740bb11eea5197a915212aa492b9b2613996de963890bf534b86ede2f76165e');
INSERT INTO "event" VALUES(1,5,1795981670868,15778281,'model',NULL,NULL,'{"key":null,"name":"hand","model":""}','c740bb11eea5197a915212aa492b9b2613996de963890bf534b86ede2f76165e','93d3810bf04ea3862120ff6817355877f7d2ab6fadea834f86962f33d2f05a03');
INSERT INTO "event" VALUES(1,6,1795981671405,15778818,'glossary',NULL,NULL,'{"change":"import","report":{"counts":{"rejected":0,"look":0,"repeat":0},"notes":[],"name":"terms.tsv","num_terms":2},"glossaries":[{"id":1,"name":"terms.tsv","is_on":true}],"added":[{"id":1,"checksum":"0d51a276f4495dcd295a31fadb1a9ae993403aba30a79bd19e800ebaa483d15c","terms":[[0,"router","Router",1,{"glossary":"terms.tsv"}],[1,"file","Datei",2,{"glossary":"terms.tsv"}]]}],"terms":[]}','93d3810bf04ea3862120ff6817355877f7d2ab6fadea834f86962f33d2f05a03','b079e8bda3e2546b4d70efb51e18b7830c217134f745ca7f9c7ea6a4ca7aa801');
INSERT INTO "event" VALUES(1,7,1795981671415,15778828,'focus',0,0,'{}','b079e8bda3e2546b4d70efb51e18b7830c217134f745ca7f9c7ea6a4ca7aa801','8ec7efb50a912f1514b7b6851da658bde6f363250ea24a2fec106637989ad5a5');
INSERT INTO "event" VALUES(1,8,1795981671427,15778840,'decode_request',0,0,'{"number":2,"priority":"interactive","constraints":[],"phrases":[],"avoid":[],"prefix":"","locked":[],"formality":null,"domain":null,"options":{"beam":10,"nbest":5,"score":"normalised","length_reward":null,"length_ratio":null,"stopping":"optimal","finished":"leave","pruning_threshold":20.0,"pruning":"full_list","bank_threshold":null,"max_children":null,"max_length_factor":1.5,"max_length_offset":10,"places_per_bank":2,"crowding":"topmost"},"model":"","num_threads":0,"device":"cpu"}','8ec7efb50a912f1514b7b6851da658bde6f363250ea24a2fec106637989ad5a5','2f6aeaeec769c07c77d1dc9863e8edfe852bb9ebbb32e53b53d87f1464213bde');
INSERT INTO "event" VALUES(1,9,1795981671432,15778845,'pin',0,1,'{"text":"Dialog","origin":"person"}','2f6aeaeec769c07c77d1dc9863e8edfe852bb9ebbb32e53b53d87f1464213bde','4059b757d1c5da4ecdec6de251cccfb2930c10e367c14a2a0d6217f2fbb3775a');
INSERT INTO "event" VALUES(1,10,1795981671432,15778845,'avoid',0,1,'{"text":"Öffne","case":"exact","origin":"person"}','4059b757d1c5da4ecdec6de251cccfb2930c10e367c14a2a0d6217f2fbb3775a','2cb5603ebff390920520372de3cd92ec455df7a1f25773b5a8952b46957f4b85');
INSERT INTO "event" VALUES(1,11,1795981671459,15778872,'decode_request',0,1,'{"number":3,"priority":"interactive","constraints":[{"text":"Dialog","count":1,"is_pinned":true,"term_keys":[],"source_span":null,"forms":[],"case":"exact","boundary":"word","is_kept":false}],"phrases":[{"text":"Dialog","forms":[],"count":1,"case":"exact","boundary":"word","source_span":null,"max_count":null}],"avoid":[{"text":"Öffne","case":"exact"}],"prefix":"","locked":[],"formality":null,"domain":null,"options":{"beam":10,"nbest":5,"score":"normalised","length_reward":null,"length_ratio":null,"stopping":"optimal","finished":"leave","pruning_threshold":20.0,"pruning":"full_list","bank_threshold":null,"max_children":null,"max_length_factor":1.5,"max_length_offset":10,"places_per_bank":2,"crowding":"topmost"},"model":"","num_threads":0,"device":"cpu"}','2cb5603ebff390920520372de3cd92ec455df7a1f25773b5a8952b46957f4b85','337a33b418cd023a27bd72992af72054322579e29266180a0c0a0ce46079fd17');
INSERT INTO "event" VALUES(1,12,1795981671504,15778917,'confirm',0,2,'{"text":"Öffnen Sie den Dialog.","machine_text":null,"is_unchanged":false,"attention":"","findings":[]}','337a33b418cd023a27bd72992af72054322579e29266180a0c0a0ce46079fd17','5c7e734da3ce94e071979b06118664458394e0e6a2a5134974fe9ce5a05fdce8');
INSERT INTO "event" VALUES(1,13,1795981671512,15778926,'pin',1,1,'{"text":"speichert","origin":"person"}','5c7e734da3ce94e071979b06118664458394e0e6a2a5134974fe9ce5a05fdce8','94968b1ab658fdcd2e44b73c5f5525f472c6e304a2f6af26b5eeaa4830315451');
INSERT INTO "event" VALUES(1,14,1795981671512,15778926,'avoid',1,1,'{"text":"Akte","case":"exact","origin":"person"}','94968b1ab658fdcd2e44b73c5f5525f472c6e304a2f6af26b5eeaa4830315451','3c3358079e9429788a359f4f34f9530a3db8326df897bf1566e8203a0aec70d3');
INSERT INTO "event" VALUES(1,15,1795981671512,15778926,'term_overridden',1,1,'{"source":"file","target":"Datei","is_off":true,"reason":"switched_off","origin":"person"}','3c3358079e9429788a359f4f34f9530a3db8326df897bf1566e8203a0aec70d3','33d44f808072f2686918c1d374cec39511c11a8a1236b9961bc78123ef80b272');
INSERT INTO "event" VALUES(1,16,1795981671539,15778952,'decode_request',1,1,'{"number":2,"priority":"interactive","constraints":[{"text":"speichert","count":1,"is_pinned":true,"term_keys":[],"source_span":null,"forms":[],"case":"exact","boundary":"word","is_kept":false},{"text":"Router","count":1,"is_pinned":false,"term_keys":["router\tRouter"],"source_span":[4,10],"forms":["Routern","Routers"],"case":"auto","boundary":"compound","is_kept":false}],"phrases":[{"text":"speichert","forms":[],"count":1,"case":"exact","boundary":"word","source_span":null,"max_count":null},{"text":"Router","forms":["Routern","Routers"],"count":1,"case":"auto","boundary":"compound","source_span":[4,10],"max_count":null}],"avoid":[{"text":"Akte","case":"exact"}],"prefix":"","locked":[],"formality":null,"domain":null,"options":{"beam":10,"nbest":5,"score":"normalised","length_reward":null,"length_ratio":null,"stopping":"optimal","finished":"leave","pruning_threshold":20.0,"pruning":"full_list","bank_threshold":null,"max_children":null,"max_length_factor":1.5,"max_length_offset":10,"places_per_bank":2,"crowding":"topmost"},"model":"","num_threads":0,"device":"cpu"}','33d44f808072f2686918c1d374cec39511c11a8a1236b9961bc78123ef80b272','081e87bb77d2628025f3b37b234a47d592c7623621be99ea509786e41fb4c6f6');
INSERT INTO "event" VALUES(1,17,1795981671554,15778967,'hypothesis_taken',1,2,'{"origin":"n-best"}','081e87bb77d2628025f3b37b234a47d592c7623621be99ea509786e41fb4c6f6','d4d8dc15693fdee4c918d1aa3249ccf73b7eeadf8779fc45486196a90fab4936');
INSERT INTO "event" VALUES(1,18,1795981671554,15778967,'insert',1,2,'{"offset":0,"text":"Der Router speichert halb","origin":"n-best"}','d4d8dc15693fdee4c918d1aa3249ccf73b7eeadf8779fc45486196a90fab4936','f10ee60865a037a78dbf0e4890d2e40801df252f5d0d1574a49325c850c3e95b');
INSERT INTO "event" VALUES(1,19,1795981671580,15778993,'close',NULL,NULL,'{}','f10ee60865a037a78dbf0e4890d2e40801df252f5d0d1574a49325c850c3e95b','91f221ef298a8acde61edfb4d9a50be344b1298a42a66fd2e2f17664a5fc87eb');
CREATE TABLE glossary (
            session_id INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
            glossary_id INTEGER NOT NULL,
            position INTEGER NOT NULL,
            name TEXT NOT NULL,
            is_on INTEGER NOT NULL,
            PRIMARY KEY (session_id, glossary_id)) WITHOUT ROWID
    ;
INSERT INTO "glossary" VALUES(1,1,0,'terms.tsv',1);
CREATE TABLE glossary_term (
            session_id INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
            glossary_id INTEGER NOT NULL,
            number INTEGER NOT NULL,
            source TEXT NOT NULL,
            target TEXT NOT NULL,
            file_row INTEGER NOT NULL,
            said TEXT NOT NULL,
            PRIMARY KEY (session_id, glossary_id, number)) WITHOUT ROWID
    ;
INSERT INTO "glossary_term" VALUES(1,1,0,'router','Router',1,'{"glossary": "terms.tsv"}');
INSERT INTO "glossary_term" VALUES(1,1,1,'file','Datei',2,'{"glossary": "terms.tsv"}');
CREATE TABLE memory_entry (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            source_language TEXT NOT NULL,
            target_language TEXT NOT NULL,
            source TEXT NOT NULL,
            target TEXT NOT NULL,
            changed_ms INTEGER NOT NULL);
CREATE TABLE segment (
            session_id INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
            segment_index INTEGER NOT NULL,
            source TEXT NOT NULL,
            source_start INTEGER NOT NULL,
            source_end INTEGER NOT NULL,
            target TEXT,
            state TEXT NOT NULL,
            version INTEGER NOT NULL,
            constraints TEXT NOT NULL, note TEXT NOT NULL DEFAULT '', given_target TEXT, given_state TEXT NOT NULL DEFAULT 'new',
            PRIMARY KEY (session_id, segment_index)) WITHOUT ROWID
    ;
INSERT INTO "segment" VALUES(1,0,'Open the settings.',0,18,'Öffnen Sie den Dialog.','confirmed',2,'{"pins":["Dialog"],"terms_off":[],"bans":[{"text":"Öffne","case":"exact"}],"beginning":"","locked":[],"origin":"typed","comment":"","recalled":null}','',NULL,'new');
INSERT INTO "segment" VALUES(1,1,'The router saves the file.',19,45,'Der Router speichert halb','edited',2,'{"pins":["speichert"],"terms_off":["file\tDatei"],"bans":[{"text":"Akte","case":"exact"}],"beginning":"","locked":[],"origin":"hypothesis","comment":"","recalled":null}','',NULL,'new');
INSERT INTO "segment" VALUES(1,2,'You can change the password later.',46,80,NULL,'new',0,'{}','',NULL,'new');
CREATE TABLE session (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            token TEXT NOT NULL UNIQUE,
            document_id INTEGER NOT NULL REFERENCES document(id),
            direction TEXT NOT NULL,
            pseudonym TEXT NOT NULL,
            versions TEXT NOT NULL,
            options TEXT NOT NULL,
            created_ms INTEGER NOT NULL,
            last_ms INTEGER NOT NULL,
            num_events INTEGER NOT NULL,
            last_hash TEXT NOT NULL);
INSERT INTO "session" VALUES(1,'XIQQgEXEhDAxm9siJ8x0GhvlgUoFUAaR',1,'en-de','','{"pinpoint":"0.2.0","gradio":"6.31.0","torch":"2.13.0+cpu","python":"3.11.7"}','{"beam":10,"nbest":5,"score":"normalised","length_reward":null,"length_ratio":null,"stopping":"optimal","finished":"leave","pruning_threshold":20.0,"pruning":"full_list","bank_threshold":null,"max_children":null,"max_length_factor":1.5,"max_length_offset":10,"places_per_bank":2,"crowding":"topmost"}',1795981670747,1795981671580,19,'91f221ef298a8acde61edfb4d9a50be344b1298a42a66fd2e2f17664a5fc87eb');
CREATE TABLE tombstone (
            session_id INTEGER PRIMARY KEY,
            deleted_ms INTEGER NOT NULL,
            num_events INTEGER NOT NULL,
            last_hash TEXT NOT NULL);
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
CREATE INDEX memory_entry_by_languages ON memory_entry (source_language, target_language);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('document',1);
INSERT INTO "sqlite_sequence" VALUES('session',1);
COMMIT;
