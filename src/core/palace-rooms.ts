/** Folders of a palace of files that have a meaning of their own. Their rooms have the same names. */

/** Of the room map. */
export const HALL_ROOM = 'grand_hall';
/** Of what each agent knows: a folder in it is a room of its own. */
export const CHAMBERS_ROOM = 'chambers';
/** Of what was learned. */
export const REFLECTION_ROOM = 'reflection_wing';
/** Of what is kept, and found only when it is asked for. */
export const ARCHIVE_ROOM = 'archive_basement';
