// Dragino CPL01: contact and pulses.

const STATE = 'contact_closed'
const COUNT = 'pulse_count'
