// Dragino LDS03A: door contact.

const STATE = 'open'
const COUNT = 'open_count'
