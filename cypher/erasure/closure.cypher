// What goes with the things that are to be erased: an entity takes its names, observations, relations, task links and exact
// links along, those that merges recorded on others too, and what was merged into it is the same thing and goes as well.
// access: read
// scope: system
// params: ids LIST<STRING>
// returns: kind, id, scope, owner
CALL () {
  UNWIND $ids AS wanted
  MATCH (e:Entity {id: wanted})
  RETURN e
  UNION
  UNWIND $ids AS wanted
  MATCH (:Entity {id: wanted})(()<-[m:MERGED_INTO WHERE m.retired_at IS NULL]-()){1,16}(e:Entity)
  RETURN e
}
WITH collect(e) AS entities
CALL (entities) {
  UNWIND entities AS e
  RETURN 'entity' AS kind, e.id AS id, e.scope AS scope, null AS owner
  UNION
  UNWIND entities AS e
  CALL (e) {
    RETURN e AS owner, [] AS sources
    UNION
    MATCH (e)((:Entity)-[:MERGED_INTO]->(:Entity)){1,16}(owner:Entity)
    RETURN owner, [e] AS sources
  }
  CALL (owner, sources) {
    MATCH (owner)-[:HAS_OBSERVATION]->(x:Observation)
    WHERE sources = [] OR EXISTS { (s)-[:HAS_OBSERVATION]->(:Observation {id: x.copy_of}) WHERE s IN sources }
    RETURN 'observation' AS kind, x.id AS id, x.scope AS scope
    UNION
    MATCH (owner)<-[x:NAMES]-(:Alias)
    WHERE sources = [] OR EXISTS { (s)<-[:NAMES {id: x.copy_of}]-() WHERE s IN sources }
    RETURN 'alias' AS kind, x.id AS id, x.scope AS scope
    UNION
    MATCH (owner)-[x:RELATES_TO]-()
    WHERE sources = [] OR EXISTS { (s)-[:RELATES_TO {id: x.copy_of}]-() WHERE s IN sources }
    RETURN 'relation' AS kind, x.id AS id, x.scope AS scope
    UNION
    MATCH (owner)<-[x:LINKED_TO]-()
    WHERE sources = [] OR EXISTS { (s)<-[:LINKED_TO {id: x.copy_of}]-() WHERE s IN sources }
    RETURN 'task_link' AS kind, x.id AS id, x.scope AS scope
    UNION
    MATCH (owner)<-[x:SUPPORTS]-()
    WHERE sources = []
    RETURN 'support' AS kind, x.id AS id, x.scope AS scope
  }
  RETURN kind, id, scope, owner.id AS owner
  UNION
  UNWIND $ids AS wanted
  CALL (wanted) {
    MATCH (x:Observation {id: wanted})
    RETURN 'observation' AS kind, x.id AS id, x.scope AS scope
    UNION
    MATCH (e:Entity)-[:HAS_OBSERVATION]->(:Observation {id: wanted})
    MATCH (e)((:Entity)-[:MERGED_INTO]->(:Entity)){1,16}()-[:HAS_OBSERVATION]->(x:Observation {copy_of: wanted})
    RETURN 'observation' AS kind, x.id AS id, x.scope AS scope
    UNION
    MATCH ()-[x:RELATES_TO {id: wanted}]->()
    RETURN 'relation' AS kind, x.id AS id, x.scope AS scope
    UNION
    MATCH (x:WorkItem {id: wanted})
    RETURN 'work_item' AS kind, x.id AS id, x.scope AS scope
    UNION
    MATCH (:WorkItem {id: wanted})-[x:LINKED_TO]->()
    RETURN 'task_link' AS kind, x.id AS id, x.scope AS scope
    UNION
    MATCH (x:Document {id: wanted})
    RETURN 'document' AS kind, x.id AS id, x.scope AS scope
    UNION
    MATCH (x:Candidate {id: wanted})
    RETURN 'candidate' AS kind, x.id AS id, x.scope AS scope
    UNION
    MATCH (:Candidate {id: wanted})-[x:SUPPORTS]->()
    RETURN 'support' AS kind, x.id AS id, x.scope AS scope
  }
  RETURN kind, id, scope, null AS owner
}
WITH kind, id, scope, max(owner) AS owner
RETURN kind, id, scope, owner ORDER BY kind, id
