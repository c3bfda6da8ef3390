-- Made by Pinpoint as it was on 2026-11-28; see tests/data/README.md.
PRAGMA application_id=1346981456;
PRAGMA user_version=1857048457;
BEGIN TRANSACTION;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" VALUES(1,'pinpoint','m0001_session_document_segment_event','2026-11-29 19:48:38.660828+00:00');
INSERT INTO "_sqlite_migrations" VALUES(2,'pinpoint','m0002_glossary_and_tombstone','2026-11-29 19:48:38.661471+00:00');
INSERT INTO "_sqlite_migrations" VALUES(3,'pinpoint','m0003_document_format_and_given_translations','2026-11-29 19:48:38.662003+00:00');
INSERT INTO "_sqlite_migrations" VALUES(4,'pinpoint','m0004_document_term','2026-11-29 19:48:38.662291+00:00');
INSERT INTO "_sqlite_migrations" VALUES(5,'pinpoint','m0005_term_fields','2026-11-29 19:48:38.662577+00:00');
INSERT INTO "_sqlite_migrations" VALUES(6,'pinpoint','m0006_memory_entry','2026-11-29 19:48:38.662730+00:00');
INSERT INTO "_sqlite_migrations" VALUES(7,'pinpoint','m0007_several_glossaries','2026-11-29 19:48:38.664214+00:00');
INSERT INTO "_sqlite_migrations" VALUES(8,'pinpoint','m0008_project_and_term_base','2026-11-29 19:48:38.664912+00:00');
INSERT INTO "_sqlite_migrations" VALUES(9,'pinpoint','m0009_matches_of_a_project','2026-11-29 19:48:38.665356+00:00');
INSERT INTO "_sqlite_migrations" VALUES(10,'pinpoint','m0010_project_learns','2026-11-29 19:48:38.665634+00:00');
INSERT INTO "_sqlite_migrations" VALUES(11,'pinpoint','m0011_settings_of_a_project','2026-11-29 19:48:38.665754+00:00');
INSERT INTO "_sqlite_migrations" VALUES(12,'pinpoint','m0012_bundle','2026-11-29 19:48:38.665902+00:00');
INSERT INTO "_sqlite_migrations" VALUES(13,'pinpoint','m0013_person_and_member','2026-11-29 19:48:38.666031+00:00');
INSERT INTO "_sqlite_migrations" VALUES(14,'pinpoint','m0014_assignee','2026-11-29 19:48:38.666263+00:00');
INSERT INTO "_sqlite_migrations" VALUES(15,'pinpoint','m0015_limits','2026-11-29 19:48:38.666499+00:00');
INSERT INTO "_sqlite_migrations" VALUES(16,'pinpoint','m0016_review','2026-11-29 19:48:38.666883+00:00');
INSERT INTO "_sqlite_migrations" VALUES(17,'pinpoint','m0017_assigned_segment','2026-11-29 19:48:38.667034+00:00');
INSERT INTO "_sqlite_migrations" VALUES(18,'pinpoint','m0018_indexes_of_sessions','2026-11-29 19:48:38.667306+00:00');
INSERT INTO "_sqlite_migrations" VALUES(19,'pinpoint','m0019_notice','2026-11-29 19:48:38.667416+00:00');
INSERT INTO "_sqlite_migrations" VALUES(20,'pinpoint','m0020_review_of_a_segment','2026-11-29 19:48:38.667857+00:00');
INSERT INTO "_sqlite_migrations" VALUES(21,'pinpoint','m0021_placeholders','2026-11-29 19:48:38.668166+00:00');
INSERT INTO "_sqlite_migrations" VALUES(22,'pinpoint','m0022_names_of_constraints','2026-11-29 19:48:38.668284+00:00');
CREATE TABLE assigned_segment (
            session_id INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
            segment_index INTEGER NOT NULL,
            person TEXT NOT NULL,
            PRIMARY KEY (session_id, segment_index)) WITHOUT ROWID
    ;
CREATE TABLE bundle (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            data BLOB NOT NULL,
            created_ms INTEGER NOT NULL);
CREATE TABLE bundle_document (
            session_id INTEGER PRIMARY KEY REFERENCES session(id) ON DELETE CASCADE,
            bundle_id INTEGER NOT NULL REFERENCES bundle(id),
            path TEXT NOT NULL,
            entry INTEGER);
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
INSERT INTO "event" VALUES(1,1,1795981721920,15829333,'open',NULL,NULL,'{"document":"manual.txt","sha256":"a59b5a26ea5d8329e6ebaa4ad58deee4f9b11f29806d93773e35d1aaa8f4192f","num_segments":3,"num_translated":0,"direction":"en-de","pseudonym":"","versions":{"pinpoint":"0.2.0","gradio":"6.31.0","torch":"2.13.0+cpu","python":"3.11.7"},"options":{"beam":10,"nbest":5,"score":"normalised","length_reward":null,"length_ratio":null,"stopping":"optimal","finished":"leave","pruning_threshold":20.0,"pruning":"full_list","bank_threshold":null,"max_children":null,"max_length_factor":1.5,"max_length_offset":10,"places_per_bank":2,"crowding":"topmost","late_penalty":5.0,"repetition_penalty":3.0,"draft_strength":3.0,"reverse_weight":0.1,"lexicon":true}}','0000000000000000000000000000000000000000000000000000000000000000','04f41bd1b9b3c9a9e9587f3667a290e895275528b9c99ba01ba2b965cd34b525');
INSERT INTO "event" VALUES(1,2,1795981722215,15829629,'decode_request',0,0,'{"number":1,"priority":"document","constraints":[],"phrases":[],"avoid":[],"prefix":"","locked":[],"follow":null,"formality":null,"domain":null,"options":{"beam":10,"nbest":5,"score":"normalised","length_reward":null,"length_ratio":null,"stopping":"optimal","finished":"leave","pruning_threshold":20.0,"pruning":"full_list","bank_threshold":null,"max_children":null,"max_length_factor":1.5,"max_length_offset":10,"places_per_bank":2,"crowding":"topmost","late_penalty":5.0,"repetition_penalty":3.0,"draft_strength":3.0,"reverse_weight":0.1,"lexicon":true},"model":"","num_threads":0,"device":"cpu","precision":"float32","learned":0}','04f41bd1b9b3c9a9e9587f3667a290e895275528b9c99ba01ba2b965cd34b525','c2fc193090f09d9b8b7bf1535d4019d38cbf5f4f902473c5474efff5f82f1f82');
INSERT INTO "event" VALUES(1,3,1795981722222,15829636,'decode_request',1,0,'{"number":1,"priority":"document","constraints":[],"phrases":[],"avoid":[],"prefix":"","locked":[],"follow":null,"formality":null,"domain":null,"options":{"beam":10,"nbest":5,"score":"normalised","length_reward":null,"length_ratio":null,"stopping":"optimal","finished":"leave","pruning_threshold":20.0,"pruning":"full_list","bank_threshold":null,"max_children":null,"max_length_factor":1.5,"max_length_offset":10,"places_per_bank":2,"crowding":"topmost","late_penalty":5.0,"repetition_penalty":3.0,"draft_strength":3.0,"reverse_weight":0.1,"lexicon":true},"model":"","num_threads":0,"device":"cpu","precision":"float32","learned":0}','c2fc193090f09d9b8b7bf1535d4019d38cbf5f4f902473c5474efff5f82f1f82','c95511ea5de0fe6fb67c25396e856fb70f844476237c4fdabe2a15f124000cb5');
INSERT INTO "event" VALUES(1,4,1795981722255,15829668,'decode_request',2,0,'{"number":1,"priority":"document","constraints":[],"phrases":[],"avoid":[],"prefix":"","locked":[],"follow":null,"formality":null,"domain":null,"options":{"beam":10,"nbest":5,"score":"normalised","length_reward":null,"length_ratio":null,"stopping":"optimal","finished":"leave","pruning_threshold":20.0,"pruning":"full_list","bank_threshold":null,"max_children":null,"max_length_factor":1.5,"max_length_offset":10,"places_per_bank":2,"crowding":"topmost","late_penalty":5.0,"repetition_penalty":3.0,"draft_strength":3.0,"reverse_weight":0.1,"lexicon":true},"model":"","num_threads":0,"device":"cpu","precision":"float32","learned":0}','c95511ea5de0fe6fb67c25396e856fb70f844476237c4fdabe2a15f124000cb5','957dc42790bd03b94f885e965d6052d0b266162eb91eea249e316f792771eb6e');
INSERT INTO "event" VALUES(1,5,1795981722347,15829761,'model',NULL,NULL,'{"key":null,"name":"hand","model":""}','957dc42790bd03b94f885e965d6052d0b266162eb91eea249e316f792771eb6e','80999b46a6ff885953c4d4ca3eeba4139c0c2ea2932f177597825c239d97ee10');
INSERT INTO "event" VALUES(1,6,1795981723315,15830729,'glossary',NULL,NULL,'{"change":"import","report":{"counts":{"rejected":0,"held":0,"look":0,"repeat":0},"notes":[],"name":"terms.tsv","num_terms":2},"glossaries":[{"id":1,"name":"terms.tsv","is_on":true}],"added":[{"id":1,"checksum":"0d51a276f4495dcd295a31fadb1a9ae993403aba30a79bd19e800ebaa483d15c","terms":[[0,"router","Router",1,{"glossary":"terms.tsv"}],[1,"file","Datei",2,{"glossary":"terms.tsv"}]]}],"terms":[]}','80999b46a6ff885953c4d4ca3eeba4139c0c2ea2932f177597825c239d97ee10','53a31dafc1ad82e1265b1e16db4a8699c32ae1bf6d430ffb15adfa1661b2adc5');
INSERT INTO "event" VALUES(1,7,1795981723319,15830732,'focus',0,0,'{}','53a31dafc1ad82e1265b1e16db4a8699c32ae1bf6d430ffb15adfa1661b2adc5','532eba0eef8c3a86996ce4262bf58a8f0a6b837326d3c863333a067e74e87592');
INSERT INTO "event" VALUES(1,8,1795981723320,15830733,'decode_request',0,0,'{"number":2,"priority":"interactive","constraints":[],"phrases":[],"avoid":[],"prefix":"","locked":[],"follow":null,"formality":null,"domain":null,"options":{"beam":10,"nbest":5,"score":"normalised","length_reward":null,"length_ratio":null,"stopping":"optimal","finished":"leave","pruning_threshold":20.0,"pruning":"full_list","bank_threshold":null,"max_children":null,"max_length_factor":1.5,"max_length_offset":10,"places_per_bank":2,"crowding":"topmost","late_penalty":5.0,"repetition_penalty":3.0,"draft_strength":3.0,"reverse_weight":0.1,"lexicon":true},"model":"","num_threads":0,"device":"cpu","precision":"float32","learned":0}','532eba0eef8c3a86996ce4262bf58a8f0a6b837326d3c863333a067e74e87592','3693387d357d4215bb14c943fdb8d1dca003491b4b8d69c14fc2999c4b754931');
INSERT INTO "event" VALUES(1,9,1795981723332,15830745,'pin',0,1,'{"text":"Dialog","origin":"person"}','3693387d357d4215bb14c943fdb8d1dca003491b4b8d69c14fc2999c4b754931','8cd012859011f52f0eb7f8d770d5ffd83ce4aa44bc97ebae71e40a0ab9b6dfae');
INSERT INTO "event" VALUES(1,10,1795981723332,15830746,'avoid',0,1,'{"text":"Öffne","case":"exact","origin":"person"}','8cd012859011f52f0eb7f8d770d5ffd83ce4aa44bc97ebae71e40a0ab9b6dfae','9349049a72d621a8bec56981b6a96ef921a16dad2a42e03f6724d4dbd3eb0d41');
INSERT INTO "event" VALUES(1,11,1795981723335,15830748,'decode_request',0,1,'{"number":3,"priority":"interactive","constraints":[{"text":"Dialog","count":1,"is_pinned":true,"term_keys":[],"source_span":null,"forms":[],"case":"exact","boundary":"word","is_kept":false,"is_expected":false,"replaces":[],"language":""}],"phrases":[{"text":"Dialog","forms":[],"count":1,"case":"exact","boundary":"word","source_span":null,"max_count":null,"is_expected":false,"replaces":[]}],"avoid":[{"text":"Öffne","case":"exact"}],"prefix":"","locked":[],"follow":null,"formality":null,"domain":null,"options":{"beam":10,"nbest":5,"score":"normalised","length_reward":null,"length_ratio":null,"stopping":"optimal","finished":"leave","pruning_threshold":20.0,"pruning":"full_list","bank_threshold":null,"max_children":null,"max_length_factor":1.5,"max_length_offset":10,"places_per_bank":2,"crowding":"topmost","late_penalty":5.0,"repetition_penalty":3.0,"draft_strength":3.0,"reverse_weight":0.1,"lexicon":true},"model":"","num_threads":0,"device":"cpu","precision":"float32","learned":0}','9349049a72d621a8bec56981b6a96ef921a16dad2a42e03f6724d4dbd3eb0d41','721580a612a850467855b982896fbbdd8999513bf7e5a0e0e15644a80dbb4bf6');
INSERT INTO "event" VALUES(1,12,1795981723380,15830794,'confirm',0,2,'{"text":"Öffnen Sie den Dialog.","machine_text":null,"is_unchanged":false,"attention":"","findings":[]}','721580a612a850467855b982896fbbdd8999513bf7e5a0e0e15644a80dbb4bf6','6b7588e9502dd6c76b8b93b5dfe054830e0d54bd88b8395bfaafe397f6b11f75');
INSERT INTO "event" VALUES(1,13,1795981723417,15830830,'pin',1,1,'{"text":"speichert","origin":"person"}','6b7588e9502dd6c76b8b93b5dfe054830e0d54bd88b8395bfaafe397f6b11f75','b19f3546b6180ae8cc4499e4598753c9d2322322d0157693ada7b4a1dfeeb883');
INSERT INTO "event" VALUES(1,14,1795981723417,15830831,'avoid',1,1,'{"text":"Akte","case":"exact","origin":"person"}','b19f3546b6180ae8cc4499e4598753c9d2322322d0157693ada7b4a1dfeeb883','99684427e26caf11fb25905328abe84f0316bacb7ead077c5ad8ffb6a109a5c2');
INSERT INTO "event" VALUES(1,15,1795981723417,15830831,'term_overridden',1,1,'{"source":"file","target":"Datei","is_off":true,"reason":"switched_off","origin":"person"}','99684427e26caf11fb25905328abe84f0316bacb7ead077c5ad8ffb6a109a5c2','9638d09ee5bfb5460516e1a27eb0a3f7bdef1c9348a8c96d5aeee2893691991a');
INSERT INTO "event" VALUES(1,16,1795981723437,15830850,'decode_request',1,1,'{"number":2,"priority":"interactive","constraints":[{"text":"speichert","count":1,"is_pinned":true,"term_keys":[],"source_span":null,"forms":[],"case":"exact","boundary":"word","is_kept":false,"is_expected":false,"replaces":[],"language":""},{"text":"Router","count":1,"is_pinned":false,"term_keys":["router\tRouter"],"source_span":[4,10],"forms":["Routern","Routers"],"case":"auto","boundary":"compound","is_kept":false,"is_expected":false,"replaces":[],"language":"de"}],"phrases":[{"text":"speichert","forms":[],"count":1,"case":"exact","boundary":"word","source_span":null,"max_count":null,"is_expected":false,"replaces":[]},{"text":"Router","forms":["Routern","Routers"],"count":1,"case":"auto","boundary":"compound","source_span":[4,10],"max_count":null,"is_expected":false,"replaces":[]}],"avoid":[{"text":"Akte","case":"exact"}],"prefix":"","locked":[],"follow":null,"formality":null,"domain":null,"options":{"beam":10,"nbest":5,"score":"normalised","length_reward":null,"length_ratio":null,"stopping":"optimal","finished":"leave","pruning_threshold":20.0,"pruning":"full_list","bank_threshold":null,"max_children":null,"max_length_factor":1.5,"max_length_offset":10,"places_per_bank":2,"crowding":"topmost","late_penalty":5.0,"repetition_penalty":3.0,"draft_strength":3.0,"reverse_weight":0.1,"lexicon":true},"model":"","num_threads":0,"device":"cpu","precision":"float32","learned":0}','9638d09ee5bfb5460516e1a27eb0a3f7bdef1c9348a8c96d5aeee2893691991a','2485b88dd38c96f349913e6c9b81b1b741f0abc3cca4e9794eed831c3da29b1a');
INSERT INTO "event" VALUES(1,17,1795981723439,15830852,'hypothesis_taken',1,2,'{"origin":"n-best"}','2485b88dd38c96f349913e6c9b81b1b741f0abc3cca4e9794eed831c3da29b1a','a40d35727b8403790090ae38461b27ee53a48703b11860c96ff0612ab24ed536');
INSERT INTO "event" VALUES(1,18,1795981723439,15830853,'insert',1,2,'{"offset":0,"text":"Der Router speichert halb","origin":"n-best"}','a40d35727b8403790090ae38461b27ee53a48703b11860c96ff0612ab24ed536','18b14bee05f1284a80248b001198be87512276ee6de7991a4d3a154cbd9fb161');
INSERT INTO "event" VALUES(1,19,1795981723443,15830857,'close',NULL,NULL,'{}','18b14bee05f1284a80248b001198be87512276ee6de7991a4d3a154cbd9fb161','1e5c6a0ec57d2ed01d0cdb8ae87c696409a2f55893fd73bb49281ebf12693861');
CREATE TABLE glossary (
            session_id INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
            glossary_id INTEGER NOT NULL,
            position INTEGER NOT NULL,
            name TEXT NOT NULL,
            is_on INTEGER NOT NULL, revision INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (session_id, glossary_id)) WITHOUT ROWID
    ;
INSERT INTO "glossary" VALUES(1,1,0,'terms.tsv',1,0);
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
CREATE TABLE member (
            project_id INTEGER NOT NULL REFERENCES project(id) ON DELETE CASCADE,
            person TEXT NOT NULL,
            is_own INTEGER NOT NULL,
            PRIMARY KEY (project_id, person)) WITHOUT ROWID
    ;
CREATE TABLE memory_entry (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            source_language TEXT NOT NULL,
            target_language TEXT NOT NULL,
            source TEXT NOT NULL,
            target TEXT NOT NULL,
            changed_ms INTEGER NOT NULL, project_id INTEGER REFERENCES project(id));
CREATE TABLE notice (
            session_id INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
            person TEXT NOT NULL,
            kind TEXT NOT NULL,
            sender TEXT NOT NULL,
            num_segments INTEGER NOT NULL,
            wall_ms INTEGER NOT NULL,
            is_dismissed INTEGER NOT NULL,
            PRIMARY KEY (session_id, person, kind)) WITHOUT ROWID
    ;
CREATE TABLE person (name TEXT PRIMARY KEY, role TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE project (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            client TEXT NOT NULL,
            direction TEXT NOT NULL,
            formality TEXT NOT NULL,
            domain TEXT NOT NULL,
            shares_memory INTEGER NOT NULL,
            created_ms INTEGER NOT NULL,
            chosen_ms INTEGER NOT NULL, min_match INTEGER NOT NULL DEFAULT 75, other_penalty INTEGER NOT NULL DEFAULT 1, import_penalty INTEGER NOT NULL DEFAULT 0, learns INTEGER NOT NULL DEFAULT 1, has_review INTEGER NOT NULL DEFAULT 0);
INSERT INTO "project" VALUES(1,'','','en-de','formal','',1,1795981721918,0,75,1,0,1,0);
CREATE TABLE project_setting (
            project_id INTEGER NOT NULL REFERENCES project(id) ON DELETE CASCADE,
            name TEXT NOT NULL,
            value TEXT NOT NULL,
            PRIMARY KEY (project_id, name)) WITHOUT ROWID
    ;
CREATE TABLE segment (
            session_id INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
            segment_index INTEGER NOT NULL,
            source TEXT NOT NULL,
            source_start INTEGER NOT NULL,
            source_end INTEGER NOT NULL,
            target TEXT,
            state TEXT NOT NULL,
            version INTEGER NOT NULL,
            constraints TEXT NOT NULL, note TEXT NOT NULL DEFAULT '', given_target TEXT, given_state TEXT NOT NULL DEFAULT 'new', limits TEXT NOT NULL DEFAULT '', review TEXT GENERATED ALWAYS AS (
            CASE json_valid(constraints) WHEN 1 THEN
                CASE WHEN json_extract(constraints, '$.verdict.text') = target
                    AND state = CASE json_extract(constraints, '$.verdict.decision')
                        WHEN 'approved' THEN 'confirmed' WHEN 'returned' THEN 'edited' END
                THEN json_extract(constraints, '$.verdict.decision') END
            END) VIRTUAL, placeholders TEXT NOT NULL DEFAULT '[]',
            PRIMARY KEY (session_id, segment_index)) WITHOUT ROWID
    ;
INSERT INTO "segment" VALUES(1,0,'Open the settings.',0,18,'Öffnen Sie den Dialog.','confirmed',2,'{"pins":["Dialog"],"terms_off":[],"bans":[{"text":"Öffne","case":"exact"}],"prefix":"","locked":[],"follow":"","followed_before":"","origin":"typed","filled_rate":100,"comment":"","verdict":null,"num_remarks":0,"recalled":null}','',NULL,'new','','[]');
INSERT INTO "segment" VALUES(1,1,'The router saves the file.',19,45,'Der Router speichert halb','edited',2,'{"pins":["speichert"],"terms_off":["file\tDatei"],"bans":[{"text":"Akte","case":"exact"}],"prefix":"","locked":[],"follow":"","followed_before":"","origin":"hypothesis","filled_rate":100,"comment":"","verdict":null,"num_remarks":0,"recalled":null}','',NULL,'new','','[]');
INSERT INTO "segment" VALUES(1,2,'You can change the password later.',46,80,NULL,'new',0,'{}','',NULL,'new','','[]');
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
            last_hash TEXT NOT NULL, project_id INTEGER REFERENCES project(id), assignee TEXT NOT NULL DEFAULT '');
INSERT INTO "session" VALUES(1,'FqjVJNf7iChjQWoZ4CA4WTcXNUtB93vr',1,'en-de','','{"pinpoint":"0.2.0","gradio":"6.31.0","torch":"2.13.0+cpu","python":"3.11.7"}','{"beam":10,"nbest":5,"score":"normalised","length_reward":null,"length_ratio":null,"stopping":"optimal","finished":"leave","pruning_threshold":20.0,"pruning":"full_list","bank_threshold":null,"max_children":null,"max_length_factor":1.5,"max_length_offset":10,"places_per_bank":2,"crowding":"topmost","late_penalty":5.0,"repetition_penalty":3.0,"draft_strength":3.0,"reverse_weight":0.1,"lexicon":true}',1795981721918,1795981723443,19,'1e5c6a0ec57d2ed01d0cdb8ae87c696409a2f55893fd73bb49281ebf12693861',1,'');
CREATE TABLE term_base (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            project_id INTEGER REFERENCES project(id),
            position INTEGER NOT NULL,
            name TEXT NOT NULL,
            revision INTEGER NOT NULL);
CREATE TABLE term_base_term (
            term_base_id INTEGER NOT NULL REFERENCES term_base(id) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            source TEXT NOT NULL,
            target TEXT NOT NULL,
            file_row INTEGER NOT NULL,
            said TEXT NOT NULL,
            PRIMARY KEY (term_base_id, number)) WITHOUT ROWID
    ;
CREATE TABLE tombstone (
            session_id INTEGER PRIMARY KEY,
            deleted_ms INTEGER NOT NULL,
            num_events INTEGER NOT NULL,
            last_hash TEXT NOT NULL);
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
CREATE INDEX memory_entry_by_languages ON memory_entry (source_language, target_language);
CREATE INDEX remark_of_segment ON event (session_id, segment_index, seq) WHERE type = 'remark';
CREATE INDEX session_by_use ON session (last_ms, id);
CREATE INDEX session_by_project ON session (project_id);
CREATE INDEX session_by_document ON session (document_id);
CREATE INDEX document_by_checksum ON document (sha256);
CREATE INDEX filled_segment ON segment (session_id) WHERE source != '';
CREATE INDEX confirmed_segment ON segment (session_id) WHERE state = 'confirmed';
CREATE INDEX changed_segment ON segment (session_id) WHERE version > 0;
CREATE INDEX reviewed_segment ON segment (session_id, review) WHERE review IS NOT NULL;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('project',1);
INSERT INTO "sqlite_sequence" VALUES('term_base',1000000);
INSERT INTO "sqlite_sequence" VALUES('document',1);
INSERT INTO "sqlite_sequence" VALUES('session',1);
COMMIT;
