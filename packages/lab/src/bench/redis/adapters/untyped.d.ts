// redlock 5 has types, but its `exports` do not lead to them.
declare module 'redlock'
