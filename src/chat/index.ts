/** A model behind an OpenAI-compatible server, which writes text. */
export { type ChatAddress, chatAddress } from './address.js';
export { Chat, ChatError, type ChatReply } from './chat.js';
