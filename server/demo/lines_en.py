"""The demo model's lines in English: short, plain sentences."""

LINES: dict[str, tuple[str, ...]] = {
    "": ("",),
    "go_on": ("Go on whenever you like, in your own words.", "Your answer is awaited.", "There is no hurry."),
    # Identification
    "greet": (
        "Hello. Say what you want to sell, for example “a black iPhone 12 with 128 GB”.",
        "Hello. What would you like to sell? Brand and model are enough.",
    ),
    "help": (
        "A demo script: it finds the product, creates the item and asks questions. What would you like to sell?",
    ),
    "ask_product": (
        "What would you like to sell? Brand and model are enough.",
        "Write the brand and model, for example “Galaxy S21” or “Elops 520 bike”.",
    ),
    "what_else": (
        "Which item is it then? Write the brand and model.",
        "What would you like to sell? Brand and model are enough.",
    ),
    "which_else": (
        "Write the name of the model, for example as it is on the box.",
        "Which model is it? The label usually says.",
    ),
    "concrete": (
        "Write just the brand and model, for example “Bimby TM5”.",
        "Start with the brand, for example “Samsung”.",
    ),
    "found_one": (
        "Found it: **{product}** by {brand}. Is this yours?",
        "**{product}** by {brand}. Is it this one?",
    ),
    "near_one": (
        "“{query}” is not in the catalog like that. The closest is **{product}** by {brand}. Is it this one?",
        "There is no exact match for “{query}”. Could it be **{product}** by {brand}?",
    ),
    "found_many": (
        "There are {count} products. Which one is yours?",
        "The catalog has {count}. Which of them is it?",
    ),
    "near_many": (
        "“{query}” is not in the catalog like that. Is one of these yours?",
        "There is no exact match for “{query}”. See whether it is one of these.",
    ),
    "sellable": (
        "It depends on the catalog. Say what you have, for example “a laptop” or “a bike”, and it is looked up.",
    ),
    "more_products": (
        "These are the next ones. Which one is yours?",
        "Here is the rest of the list. Which of them is it?",
    ),
    "all_shown": (
        "All of them are shown: {names}. If it is none of these, write another brand or model.",
        "There are no more: {names}. If yours is missing, write its brand and model.",
    ),
    "not_in_catalog": (
        "“{query}” is not in the catalog, so it can't be sold here yet. Write the brand and model of another item.",
        "The catalog does not have “{query}”. Look at the label or the box and write the brand and model.",
    ),
    "not_this": (
        "Which one is it then? Write the brand and model.",
        "Write the right name, for example as it is on the box.",
    ),
    "not_this_others": (
        "Which one is it then? There is also {names}.",
        "Could it be {names}? Write which, or another name.",
    ),
    "none_of_these": (
        "Then write the brand and model as they are on the label.",
        "What name is on the box? Write it here and the catalog is searched again.",
    ),
    "not_sold_here": (
        "Then yours is not in the catalog, so it can't be sold here yet. Write the brand and model of another item.",
    ),
    "which": ("Which one is yours? Choose one, or write its name.", "One of these has to be chosen."),
    "yes_which": ("Which of them? For example {names}.", "One thing is missing, which one: {names}."),
    "again": ("The products are still below. Which one is yours?", "Choose yours below."),
    "product_first": ("First the product.", "One thing after the other: first the product."),
    "options_first": ("First the options.", "One thing after the other: first the options."),
    "again_one": ("Is it the {product}?", "Is the {product} yours?"),
    "unsure_product": (
        "The model is usually on the label, on the box or in the settings under “About”.",
        "Look underneath or at the back: the model is usually there.",
    ),
    "meaning_product": ("It is about which product it is exactly: brand and model.",),
    "why_product": ("Because the options and the questions depend on the exact model.",),
    "confirm_first": (
        "That comes with the options. First the product has to be confirmed.",
        "That comes soon. First: which product is it?",
    ),
    "not_played": (
        "The demo model knows only the built-in services. This one answers once the server has a real model: "
        "set OPENAI_API_KEY and start it again.",
    ),
    "picture": (
        "Thank you, the photo is kept for the item. The demo model cannot see images: say in words what it shows.",
        "The photo is kept for the item. Images are not read here: write what it shows.",
    ),
    "picture_kept": (
        "Thank you, the photo is kept for the item.",
        "The photo is kept for the item, thank you.",
    ),
    "no_info": ("There is no information about that here.", "That is not known here."),
    "boolean_plain": ("Answer yes or no: “{label}”", "Is that a yes or a no to “{label}”?"),
    "no_price": (
        "There are no prices here yet: first comes which item it is and its condition.",
        "The catalog has no prices. It depends on the condition, which is asked at the end.",
    ),
    "no_price_now": ("The catalog has no prices: what is described here is the condition of the item.",),
    "off_topic": ("This is only about selling used items.", "That is outside what can be done here."),
    "calm": ("Back to what matters.", "Noted. On with the item."),
    "thanks": ("You're welcome.", "Any time."),
    "stopped": ("It stops here. Come back any time: just write what you want to sell.",),
    "paused": (
        "The item **{reference}** is kept, with {left} answers missing. Go on whenever you like.",
        "It stays like this: the item **{reference}** still needs {left} answers, whenever you like.",
    ),
    "paused_last": ("The item **{reference}** is kept. Just one answer is missing, whenever you like.",),
    "sale_or_answer": (
        "To sell another item, write “another item”. If that answers “{label}”, say it in other words.",
    ),
    "item_kept": ("The item **{reference}** stays as it is.",),
    "item_waits": (
        "The item **{reference}** stays until another product is confirmed. Which product is it? Say brand and model.",
        "Nothing has changed in the item **{reference}**. Which product is it instead? Brand and model are enough.",
    ),
    "item_withdrawn": ("The item **{reference}** is withdrawn: this product takes its place.",),
    # Options
    "ask_option_first": ("The {product} was sold in several versions. Which one is yours?",),
    "kept_ask": ("{value}, noted. Still to choose: {name}.", "{value} it is. Next: {name}."),
    "prefilled_ask": (
        "From what you wrote: {values}. Still to choose: {name}.",
        "{values}, from your words. Next: {name}.",
    ),
    "prefilled_all": ("From what you wrote: {values}. Shall the item be created like this?",),
    "option_which": ("Which of them: {names}?", "It could be {names}. Which one?"),
    "option_change": (
        "What is right for {name}? There is {names}.",
        "Choose the right value for {name}: {names}.",
        "For {name} there is {names}. Which one is right?",
    ),
    "option_what_change": ("What is different? You can change {names}.", "Say what changes: {names}."),
    "option_unsure": (
        "It is usually in the settings, on the box or on the label. {name}: choose what it says there.",
        "Look at the box, the receipt or the label and choose the value for {name}.",
    ),
    "option_why": ("Because each version is a different item in the catalog. Still to choose: {name}.",),
    "option_meaning": (
        "{name}: choose what yours has. There is {names}.",
        "It is about {name}. The possible values are {names}.",
    ),
    "option_not": (
        "The {product} was not sold with “{said}”. There is {names}.",
        "“{said}” does not exist for this product. There is {names}.",
    ),
    "option_again": ("Still to choose: {name}, for example {names}.", "Choose a value for {name}: {names}."),
    "option_confirm_again": (
        "Everything is chosen: {values}. Shall the item be created like this?",
        "It is {values}. Answer “yes” to create the item, or say what changes.",
    ),
    # Registration
    "item_unknown": (
        "It is not known whether the item was created: that has to be checked. What you wrote is kept.",
    ),
    "core_away": (
        "The catalog does not answer at the moment; what you wrote is kept, so try again in a moment.",
        "The catalog still does not answer; nothing is lost, so try again a little later.",
    ),
    "item_failed": ("The item was not created. Write “continue” to try again.",),
    "declined": ("The item was not created.", "Nothing was created."),
    "create_waits": ("Answer “yes” to create it, or say what changes.",),
    "other_product": ("If it is another product, say which.",),
    # Questions
    "first_question": ("The item is created. There are {total} questions about its condition.",),
    "next_question": (
        "Noted. {left} to go.",
        "Right, {left} left.",
        "Kept. There are {left} more.",
        "Thank you. {left} to go.",
    ),
    "last_question": ("Noted. One to go.", "Right. Only one is left."),
    "skipped": ("It stays open. {left} to go.", "It can stay without an answer. {left} to go."),
    "corrected": ("Corrected: {shown}.", "Changed to {shown}."),
    "left": ("It stays as it was.", "Nothing changes."),
    "changed": ("Changed: {shown}.", "It is {shown} now."),
    "now": ("This is the item now:",),
    "asked_again": ("That makes one answer stale, so it is asked again.",),
    "change_failed": ("The change was not made. Write again what changes.",),
    "answer_change": ("“{label}” says {shown}. What should it be?",),
    "invalid": ("{reason}", "Not yet. {reason}"),
    "confirm": ("Just to be sure.", "Please confirm."),
    "question_why": (
        "It is needed to describe the item well. {hint}",
        "It helps whoever buys the item. {hint}",
    ),
    "question_hint": ("{hint}", "In other words: {hint}"),
    "question_no_hint": ("Answer what you see on the item: “{label}”", "It is only this question: “{label}”"),
    "help_questions": ("Every answer describes the item. Choose an option, or write in your own words.",),
    "question_again": ("The question is still below.", "This answer is still missing."),
    "question_back": (
        "The one before was “{label}”, answered with {shown}. What is the right answer?",
        "Before that came “{label}”, and it is {shown}. What should it be?",
    ),
    "question_first_back": ("This is the first question. It still needs an answer.",),
    "correct_which": ("Which answer do you want to correct?", "Say which answer is not right."),
    "refused": (
        "With this answer the item can't be accepted. If it was a slip, write the right answer.",
        "Like this it is not possible to take the item. If that is not so, correct the answer.",
    ),
    "done": ("All done. This is your item:",),
    "done_more": (
        "The item is complete. You can correct an answer or sell another one.",
        "Everything is kept. To sell another item, write its name.",
    ),
    "done_thanks": ("You're welcome. The item is complete.",),
    # Chat
    "chat_greet": (
        "Hello. You can ask what is in the catalog, see your items and conversations, or sell something.",
        "Hello. What are you looking for? The catalog, your items or your conversations?",
    ),
    "chat_help": (
        "This searches the catalog, shows your items and conversations, arranges a pick-up and can start a sale.",
    ),
    "chat_catalog": (
        "The catalog has {count} for “{query}”:\n\n{names}",
        "In the catalog there are {count} with “{query}”:\n\n{names}",
    ),
    "chat_catalog_some": (
        "The catalog has {count} for “{query}”. Some of them:\n\n{names}",
        "There are {count} with “{query}” in the catalog. These are some of them:\n\n{names}",
    ),
    "chat_catalog_all": ("The catalog has {count} products. Some of them:\n\n{names}",),
    "chat_catalog_none": (
        "The catalog does not have “{query}”. Try the brand or the kind of item.",
        "There is no “{query}” in the catalog. Write another brand or category.",
    ),
    "chat_items": ("Among your items there are {count}:\n\n{names}",),
    "chat_item": ("Your item {reference} is **{product}**:\n\n{names}",),
    "chat_item_none": ("You have no item with that reference.",),
    "chat_items_none": ("You have no items yet. To create one, write “I want to sell”.",),
    "chat_conversations": ("Among your conversations there are {count}:\n\n{names}",),
    "chat_conversations_none": ("There are no other conversations of yours.",),
    "chat_business": ("According to the shop: {text}",),
    "chat_business_none": (
        "The shop gave no information about that. You can ask about the catalog, your items or your conversations.",
        "The shop says nothing about that. Ask about the catalog, your items or your conversations.",
    ),
    "chat_price": (
        "The catalog has no prices. You can ask whether an item is taken, or start a sale.",
        "There are no prices in the catalog. Name the item and it is looked up.",
    ),
    "chat_off_topic": (
        "That is outside what is known here. You can ask about the catalog, your items or your conversations.",
        "There is no information about that here. Try the catalog, your items or your conversations.",
    ),
    "pick_up_form": ("Say when, and where you can be answered, to arrange the pick-up.",),
    "contact_form": ("Say how and when you can be reached.",),
    "field_date": ("Day",),
    "field_window": ("Time",),
    "field_email": ("E-mail",),
    "field_notes": ("Anything else?",),
    "pick_up_past": ("That day is over. Choose one from today on.",),
    "pick_up_done": ("A pick-up is asked for on **{date}**, **{window}**, with an answer to {email}.",),
    "contact_done": ("Contact is asked for, **{window}**, at {email}.",),
    "arranged_demo": ("This is a demonstration: nobody will come or write.",),
    "arranged_nothing": ("Nothing is arranged.", "Then nothing is arranged."),
    "page_told": ("The page says: {text}",),
    "page_failed": ("The page gave no answer to that.",),
    "chat_what": (
        "What would you like to know? For example “do you take laptops?” or “what items do I have?”.",
    ),
}
