/**
 * Predicates of which a subject commonly has several objects at once. Every other one is taken to have one at a time:
 * a second one that holds at the same time is pointed out as a conflict. Nothing is refused for it.
 */
const SEVERAL = new Set(
  `affects alias also_known_as asked_for attends blocks built_with calls caused causes child_of collaborates_with
  connected_to connects_to contains created decided depends_on discussed discovered dislikes documented_in employs
  enjoys example_of extends fixed friend_of has has_alias has_bug has_child has_dependency has_feature has_file has_member
  has_part has_room has_sibling has_skill has_tag imports includes influences integrates_with interested_in invited
  knows knows_about likes links_to loves maintains member_of mentions needs notes owns parent_of part_of
  participates_in plays prefers produces provides read reads related_to relates_to replaced requires reviewed runs
  said seen_in sibling_of speaks studied studies supports tagged talked_to teaches tests uses used visited wants watched
  works_on works_with wrote`.split(/\s+/),
);

/** Whether it is nothing special that a subject has several objects of this predicate. */
export function takesSeveral(predicate: string): boolean {
  return SEVERAL.has(predicate);
}
