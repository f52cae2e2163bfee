/** Rows per page if the user has no preference; `public/boot.js` has the same. */
export const defaultPageSize = 20
